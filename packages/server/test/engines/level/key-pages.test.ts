import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { KeyPage } from '../../../src/engines/level/cache/key-page.js';
import {
  createKeyPages,
  type KeyPages,
  type Load,
  type PageRange,
} from '../../../src/engines/level/cache/key-pages.js';
import type { Operation } from '../../../src/engines/shared/group-commit.js';
import { compareUtf8 } from '../../../src/lib/text/utf8-order.js';

const start = 'base/p/b\0';
/** U+FF5E comes before U+1F600 by its UTF-8 bytes, and after it by its UTF-16 units. */
const names = [
  '',
  ...['1/a', '1/aa', '1/ab', '1/b', '1/é', '1/\uff5e', '1/\u{1f600}', '2/a', '2/b', '2/c', '2/d'],
].map((name) => `\0${name}`);
const end = '\u0001';
const noValue = Buffer.alloc(0);

/** What LevelDB has, and a batch that it is writing: from the middle of the write on, it may show the batch. */
function createModel(pages: KeyPages) {
  const stored = new Set<string>();
  const keysIn = ({ gte, lt, reverse }: PageRange) => {
    const found = [...stored].filter((key) => compareUtf8(key, gte) >= 0 && compareUtf8(key, lt) < 0);
    found.sort(compareUtf8);
    return reverse ? found.reverse() : found;
  };
  return {
    stored,
    keysIn,
    write(
      keys: readonly string[],
      isPut: boolean,
      outcome: 'written' | 'refused',
      meanwhile: (shown: boolean) => void,
    ) {
      const operations = keys.map(
        (key): Operation =>
          isPut ? { type: 'put', key: start + key, value: noValue } : { type: 'del', key: start + key },
      );
      pages.beginWrite(operations);
      meanwhile(false);
      const before = new Set(stored);
      for (const key of keys) {
        if (isPut) stored.add(key);
        else stored.delete(key);
      }
      meanwhile(true);
      if (outcome === 'refused') {
        stored.clear();
        for (const key of before) stored.add(key);
      }
      pages.endWrite(outcome === 'written');
    },
    /** Reads a part of a gap, as far as `batches`. */
    load(load: Load | undefined, batches: number) {
      if (load === undefined) return;
      const keys = keysIn(load.range);
      for (let n = 0; n < batches; n++) {
        const batch = keys.splice(0, pages.loadedKeys);
        const isLast = keys.length === 0;
        if (batch.length > 0 || isLast) load.add(batch, isLast);
        if (isLast) break;
      }
      load.end();
    },
  };
}

const range: fc.Arbitrary<PageRange> = fc
  .record({
    bounds: fc.tuple(fc.constantFrom(...names, end), fc.constantFrom(...names, end)),
    reverse: fc.boolean(),
  })
  .map(({ bounds, reverse }) => {
    const [gte, lt] = bounds.toSorted(compareUtf8) as [string, string];
    return { start, gte, lt, reverse };
  });
const write = fc.record({
  keys: fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 4 }),
  isPut: fc.boolean(),
  outcome: fc.constantFrom('written' as const, 'refused' as const),
  /** What is loaded while it is written. */
  loaded: fc.option(range),
});
const step = fc.oneof(
  fc.record({ load: range, batches: fc.integer({ min: 1, max: 4 }), write: fc.option(write) }),
  fc.record({ write }),
  fc.record({ read: range, limit: fc.integer({ min: 1, max: 20 }) }),
);

describe('the pages of keys', () => {
  test('say how much they grow', () => {
    const page = KeyPage.of(Buffer.from('\0'), Buffer.from(end), []);
    let size = page.size;
    for (let n = 0; n < 300; n++) size += page.insert(Buffer.from(`\0${n % 200}`));
    assert.equal(page.count, 200);
    assert.equal(page.size, size);
  });

  for (const reverse of [false, true])
    test(`are followed by what is read next, also when their ${reverse ? 'first' : 'last'} key was deleted`, () => {
      const pages = createKeyPages(1_000_000, 2);
      const model = createModel(pages);
      for (const name of names) model.stored.add(name);
      const all = { start, gte: names[0] as string, lt: end, reverse };
      model.load(pages.beginLoad(all), 1);
      const [kept = '', deleted = ''] = model.keysIn(all);
      model.write([deleted], false, 'written', () => {});
      assert.deepEqual(pages.keys(all, 9), { keys: [kept], isWhole: false });
      const rest = reverse ? { ...all, lt: kept } : { ...all, gte: `${kept}\0` };
      assert.equal(pages.keys(rest, 9), undefined);
      model.load(pages.beginLoad(rest), names.length);
      assert.deepEqual(pages.keys(all, 99), { keys: model.keysIn(all), isWhole: true });
    });

  for (const maxBytes of [1_000_000, 3000]) {
    test(`give what is stored, whatever was loaded and written before and meanwhile, in ${maxBytes} bytes`, () => {
      let answers = 0;
      fc.assert(
        fc.property(
          fc.array(step, { maxLength: 40 }),
          fc.integer({ min: 1, max: 4 }),
          (steps, loadedKeys) => {
            const pages = createKeyPages(maxBytes, loadedKeys);
            const model = createModel(pages);
            const check = (wanted: PageRange, limit: number) => {
              const found = pages.keys(wanted, limit);
              if (found !== undefined) {
                answers++;
                const expected = model.keysIn(wanted).slice(0, limit);
                assert.deepEqual(found.keys, found.isWhole ? expected : expected.slice(0, found.keys.length));
              }
              const { count, missing } = pages.count(wanted);
              const counted = missing === undefined ? wanted : { ...wanted, lt: missing };
              assert.equal(count, model.keysIn(counted).length);
            };
            const doWrite = ({
              keys,
              isPut,
              outcome,
              loaded,
            }: NonNullable<typeof write extends fc.Arbitrary<infer W> ? W : never>) => {
              model.write(keys, isPut, outcome, (isShown) => {
                if (loaded !== null) model.load(pages.beginLoad(loaded), 4);
                // What is in memory was not changed, whether LevelDB shows the batch or not.
                if (!isShown) check({ start, gte: '\0', lt: end, reverse: false }, 20);
                const whole = pages.keys({ start, gte: '\0', lt: end, reverse: true }, 20);
                assert.notEqual(whole?.isWhole, true);
              });
            };
            for (const one of steps) {
              if ('read' in one) check(one.read, one.limit);
              else if ('load' in one) {
                const load = pages.beginLoad(one.load);
                if (one.write !== null && load !== undefined) {
                  // LevelDB shows the moment before the write.
                  const before = model.keysIn(load.range);
                  doWrite(one.write);
                  const batch = before.slice(0, loadedKeys);
                  load.add(batch, batch.length === before.length);
                  load.end();
                } else model.load(load, one.batches);
              } else doWrite(one.write);
              assert.ok(pages.bytes <= maxBytes);
              for (const reverse of [false, true]) check({ start, gte: '\0', lt: end, reverse }, 100);
            }
          },
        ),
        { numRuns: 1500 },
      );
      assert.ok(answers > 500, `${answers} answers came from memory`);
    });
  }
});
