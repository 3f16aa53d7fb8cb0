import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { ItemStore, ScanRange } from '../../../src/engines/item-store.js';
import { openLevelStore } from '../../../src/engines/level/store.js';
import { compareUtf8 } from '../../../src/lib/text/utf8-order.js';

const space = 'base/p/b';
/** U+FF5E comes before U+1F600 by its UTF-8 bytes, and after it by its UTF-16 units. */
const plain = ['a', 'aa', 'ab', 'b', 'ba', 'c', 'd', 'é', '\uff5e', '\u{1f600}'];
/** The keys of the second half are those of entries of indexes, which are kept in memory. */
const names = [...plain, ...plain.map((name) => `\0${name}`)];

type Range = Pick<ScanRange, 'gte' | 'lt' | 'reverse' | 'limit' | 'firstBatch'>;

/** What a range of the model has. */
function expected(model: ReadonlyMap<string, string>, range: Range): string[] {
  const { gte, lt, reverse, limit } = range;
  const keys = [...model.keys()].toSorted(compareUtf8).filter((key) => {
    return (
      (gte === undefined || compareUtf8(key, gte) >= 0) && (lt === undefined || compareUtf8(key, lt) < 0)
    );
  });
  return (reverse ? keys.toReversed() : keys).slice(0, limit);
}

async function keysOf(keys: AsyncIterable<readonly string[]>): Promise<string[]> {
  const all: string[] = [];
  for await (const batch of keys) all.push(...batch);
  return all;
}

const name = fc.constantFrom(...names);
const write = fc.record({
  puts: fc.uniqueArray(name, { maxLength: 3 }),
  deletes: fc.uniqueArray(name, { maxLength: 3 }),
});
const count = fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined });
const shape = { reverse: fc.boolean(), limit: count, firstBatch: count };
const range: fc.Arbitrary<Range> = fc
  .record({ bounds: fc.tuple(name, name), ...shape })
  .map(({ bounds, reverse, limit, firstBatch }) => {
    const [gte, lt] = bounds.toSorted(compareUtf8) as [string, string];
    return { gte, lt, reverse, ...(limit && { limit }), ...(firstBatch && { firstBatch }) };
  });
const step = fc.record({ before: write, isAwaited: fc.boolean(), range: fc.nat({ max: 1 }), between: write });

describe('a snapshot of rows that are partly in memory', () => {
  test('shows what was stored when it was taken, whatever was read and written before and meanwhile', async () => {
    // Few ranges, so that they are found in memory.
    const ranges = fc.tuple(range, range);
    await fc.assert(
      fc.asyncProperty(ranges, fc.array(step, { maxLength: 15 }), async (few, steps) => {
        const items = await openLevelStore({ memory: true });
        const model = new Map<string, string>();
        let version = 0;
        const apply = ({ puts, deletes }: { puts: string[]; deletes: string[] }) => {
          const gone = deletes.filter((key) => !puts.includes(key));
          const value = `${version++}`;
          for (const key of puts) model.set(key, value);
          for (const key of gone) model.delete(key);
          const rows = puts.map((key) => ({ key, value: Buffer.from(value) }));
          return items.transact(space, [], () => ({ puts: rows, deletes: gone, result: undefined }));
        };
        const open = async (wanted: Range) => {
          const snapshot = await items.snapshot(space);
          const shown = new Map(model);
          const read = async () => {
            assert.deepEqual(await keysOf(snapshot.keys(wanted)), expected(shown, wanted));
            const { gte, lt } = wanted;
            let total = 0;
            for await (const count of snapshot.counts({ gte, lt } as ScanRange)) total += count;
            assert.equal(total, expected(shown, { gte, lt } as Range).length);
            const texts = names.map((key) => shown.get(key));
            assert.deepEqual(await snapshot.texts(names), texts);
          };
          return { read, close: snapshot.close };
        };
        for (const { before, isAwaited, range, between } of steps) {
          await apply(before);
          const wanted = few[range] as Range;
          const late = await open(wanted);
          const early = await open(wanted);
          await early.read();
          const writing = apply(between);
          await early.read();
          if (isAwaited) await writing;
          else void writing;
          await early.read();
          await writing;
          const next = await open(wanted);
          await next.read();
          await next.read();
          await late.read();
          for (const { close } of [late, early, next]) await close();
        }
        await items.close();
      }),
      { numRuns: 200 },
    );
  });

  test('shows all of a transaction or nothing, while others are written without a pause', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'basedrive-snapshot-'));
    const items = await openLevelStore({ folder: join(folder, 'rows'), create: true });
    try {
      const versions = 300;
      let isOver = false;
      const seen = new Set<string>();
      const reading = Array.from({ length: 8 }, () => readOneVersion(items, () => isOver, seen));
      for (let version = 1; version <= versions; version++) {
        const value = Buffer.from(`${version}`);
        const puts = ['a', 'b', `\0v${version}`].map((key) => ({ key, value }));
        await items.transact(space, [], () => ({ puts, deletes: [`\0v${version - 1}`], result: undefined }));
        // Sometimes nothing is being written, so that what is read is kept in memory.
        if (version % 4 === 0) await new Promise(setImmediate);
      }
      isOver = true;
      await Promise.all(reading);
      assert.ok(seen.size > 20, `${seen.size} versions were seen`);
    } finally {
      await items.close();
      await rm(folder, { recursive: true });
    }
  });
});

/** The keys that begin with `v`, and the values of `a` and `b`, name the same version at every moment. */
async function readOneVersion(items: ItemStore, isOver: () => boolean, seen: Set<string>): Promise<void> {
  for (let n = 0; !isOver(); n++) {
    const snapshot = await items.snapshot(space);
    const first = n % 2 === 0 ? await snapshot.texts(['a']) : [];
    const keys = await keysOf(snapshot.keys({ gte: '\0v', lt: '\0w', firstBatch: 4 }));
    if (n % 3 === 0) await new Promise(setImmediate);
    const [a = '', b] = await snapshot.texts(['a', 'b']);
    await snapshot.close();
    assert.equal(b ?? '', a);
    if (first.length > 0) assert.equal(first[0] ?? '', a);
    assert.deepEqual(keys, a === '' ? [] : [`\0v${a}`]);
    seen.add(a);
    if (n % 5 === 0) await new Promise(setImmediate);
  }
}
