import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ClassicLevel } from 'classic-level';
import fc from 'fast-check';
import { checksumOf } from '../../../../src/engines/level/rows/row-checksum.js';
import {
  bytesOfText,
  decodeText,
  decodeValue,
  dueOf,
  encodeRow,
  rowKey,
  rowProblem,
  seedOf,
} from '../../../../src/engines/level/rows/row-encoding.js';
import { openLevelStore } from '../../../../src/engines/level/store.js';
import { type DamagedRow, type RowDamage, RowsDamaged } from '../../../../src/engines/storage-errors.js';
import { anyCharacter } from '../../../support/any-character.js';
import { openStore, space, temporaryFolder } from '../../../support/level-folder.js';

const key = rowKey(space, 'key');

/** What is wrong with a row that was read as text, or undefined. */
function textProblem(raw: string, seed: number): string | undefined {
  const checked = bytesOfText(seed, raw, true);
  return typeof checked === 'string' ? checked : undefined;
}

test('the checksum is xxHash32', () => {
  const hex = (text: string, seed = 0) =>
    (checksumOf(Buffer.from(text), Buffer.byteLength(text), seed) >>> 0).toString(16);
  assert.equal(hex(''), '2cc5d05');
  assert.equal(hex('', 0x9e3779b1), '36b78ae7');
  assert.equal(hex('a'), '550d7456');
  assert.equal(hex('abc'), '32d153ff');
  assert.equal(hex('Nobody inspects the spammish repetition'), 'e2293b2f');
});

test('one flipped bit, another key or a missing end shows, or it changes nothing, in a row that is read as bytes or as text', () => {
  const row = fc.record({
    text: fc.string({ unit: anyCharacter, maxLength: 200 }),
    dueSeconds: fc.option(fc.nat(2 ** 40), { nil: undefined }),
  });
  fc.assert(
    fc.property(row, ({ text, dueSeconds }) => {
      const value = Buffer.from(text.toWellFormed());
      const put = { key: 'key', value, ...(dueSeconds !== undefined && { dueSeconds }) };
      const raw = encodeRow(key, put);
      const problems = (bytes: Buffer, seed = seedOf(key)) => [
        rowProblem(seed, bytes, true),
        textProblem(bytes.toString(), seed),
      ];
      assert.deepEqual(problems(raw), [undefined, undefined]);
      assert.ok(decodeValue(raw).equals(value));
      assert.equal(decodeText(raw.toString()), value.toString());
      assert.equal(bytesOfText(seedOf(key), raw.toString(), true), value.length);
      assert.equal(dueOf(raw), dueSeconds);
      const assertDamaged = (found: readonly (string | undefined)[], what: string) =>
        assert.ok(!found.includes(undefined), what);
      assertDamaged(problems(raw, seedOf(rowKey(space, 'kez'))), 'another key');
      for (let bit = 0; bit < 8 * raw.length; bit++) {
        raw[bit >> 3] = (raw[bit >> 3] as number) ^ (1 << (bit & 7));
        // Some bits of the checksum's last byte are not used.
        const isSame = decodeValue(raw).equals(value) && dueOf(raw) === dueSeconds;
        if (!isSame || bit < 8 * (raw.length - 6)) assertDamaged(problems(raw), `bit ${bit}`);
        raw[bit >> 3] = (raw[bit >> 3] as number) ^ (1 << (bit & 7));
      }
      for (let end = 0; end < raw.length; end++)
        assertDamaged(problems(raw.subarray(0, end)), `cut at ${end}`);
    }),
    { numRuns: 30 },
  );
});

test('rows of any size have a checksum, also those that are checked in several pieces', () => {
  for (const size of [0, 1, 15, 16, 17, 65_535, 65_536, 65_542, 65_543, 200_000]) {
    const value = Buffer.from(Array.from({ length: size }, (_, n) => 97 + (n % 26)));
    const raw = encodeRow(key, { key: 'key', value });
    const seed = seedOf(key);
    assert.equal(rowProblem(seed, raw, true), undefined, String(size));
    assert.equal(bytesOfText(seed, raw.toString(), true), size);
    for (const place of [0, Math.floor(size / 2), size - 1].filter((at) => at >= 0 && at < size)) {
      raw[place] = (raw[place] as number) ^ 1;
      assert.ok(rowProblem(seed, raw, true), `${size}, byte ${place}`);
      assert.ok(textProblem(raw.toString(), seed), `${size}, byte ${place}`);
      raw[place] = (raw[place] as number) ^ 1;
    }
  }
});

/** A store with the rows a, b and c, closed. `change` gets what LevelDB has. */
async function storeWith(
  t: TestContext,
  change: (level: ClassicLevel<string, Buffer>) => Promise<unknown>,
): Promise<string> {
  const folder = await temporaryFolder(t);
  const store = await openLevelStore({ folder, create: true });
  const puts = ['a', 'b', 'c'].map((name) => ({ key: name, value: Buffer.from(`"${name}"`), dueSeconds: 7 }));
  await store.transact(space, [], () => ({ puts, result: undefined }));
  await store.close();
  const level = new ClassicLevel<string, Buffer>(folder, { keyEncoding: 'utf8', valueEncoding: 'buffer' });
  await level.open();
  await change(level);
  await level.close();
  return folder;
}

/** One flipped bit of `b`, in a block whose own checksum is right. */
async function damageB(level: ClassicLevel<string, Buffer>): Promise<void> {
  const raw = (await level.get(rowKey(space, 'b'))) as Buffer;
  raw[1] = (raw[1] as number) ^ 1;
  await level.put(rowKey(space, 'b'), raw);
}

async function collect<T>(batches: AsyncIterable<readonly T[]>): Promise<T[]> {
  const all: T[] = [];
  for await (const batch of batches) all.push(...batch);
  return all;
}

test('a damaged row is refused wherever it is read, and other rows are served, changed and due', async (t) => {
  const folder = await storeWith(t, damageB);
  const reported: (RowDamage | DamagedRow)[] = [];
  const store = await openLevelStore({ folder, create: false, onDamage: (damage) => reported.push(damage) });
  t.after(() => store.close());
  const snapshot = await store.snapshot(space);
  const frozen = await store.freeze?.();
  t.after(() => Promise.all([snapshot.close(), frozen?.close()]));
  const reads: Record<string, () => unknown> = {
    get: () => store.get(space, 'b'),
    transaction: () => store.transact(space, ['a', 'b'], () => ({ result: undefined })),
    scan: () => collect(store.scan(space)),
    'scan of texts': () => collect(store.scanText(space, { gte: 'b' })),
    'snapshot keys': () => collect(snapshot.keys({})),
    'snapshot scan': () => collect(snapshot.scanText({ reverse: true })),
    'snapshot text': () => snapshot.texts(['b']),
    'snapshot texts': () => snapshot.texts(['b', ...Array.from({ length: 50 }, (_, n) => `none${n}`)]),
    'frozen get': () => frozen?.get(space, 'b'),
    'frozen scan': () => frozen && collect(frozen.scan(space)),
  };
  for (const [name, read] of Object.entries(reads)) {
    await assert.rejects(async () => await read(), RowsDamaged, name);
  }
  const problem = 'its checksum does not match';
  assert.deepEqual(reported[0], { space, key: 'b', problem });
  assert.equal((await store.get(space, 'a'))?.toString(), '"a"');
  assert.deepEqual(await snapshot.texts(['a', 'c']), ['"a"', '"c"']);
  const skipDamaged = true;
  const left: AsyncIterable<readonly { key: string }[]>[] = [
    store.scan(space, { skipDamaged }),
    store.scanText(space, { skipDamaged }),
    snapshot.scan({ skipDamaged }),
    snapshot.scanText({ skipDamaged }),
  ];
  for (const rows of left)
    assert.deepEqual(
      (await collect(rows)).map(({ key: name }) => name),
      ['a', 'c'],
    );
  assert.deepEqual(
    (await store.due(100, 10)).map(({ key: name }) => name),
    ['a', 'c'],
  );
  const found: (RowDamage | DamagedRow)[] = [];
  for await (const damage of store.verify?.() ?? []) found.push(damage);
  assert.deepEqual(found, [{ space, key: 'b', problem }]);

  // In one group, only the transaction that reads the damaged row fails.
  const both = await Promise.allSettled([
    store.transact(space, ['b'], () => ({ result: undefined })),
    store.transact(space, ['a'], ([row]) => ({ result: row?.toString() })),
  ]);
  assert.deepEqual(
    both.map(({ status }) => status),
    ['rejected', 'fulfilled'],
  );
  const value = Buffer.from('"new"');
  await store.transact(space, [], () => ({ puts: [{ key: 'b', value }], result: undefined }));
  assert.equal((await store.get(space, 'b'))?.toString(), '"new"', 'who writes it again heals it');
  assert.deepEqual(
    (await store.due(100, 10)).map(({ key: name }) => name),
    ['a', 'c'],
    'the entry of its old time is stale',
  );
});

test('who accepts damaged rows reads as if they were not there', async (t) => {
  const store = await openStore(await storeWith(t, damageB), true);
  t.after(() => store.close());
  assert.equal(await store.get(space, 'b'), undefined);
  const keysOf = async (rows: AsyncIterable<readonly { key: string }[]>) =>
    (await collect(rows)).map(({ key: name }) => name);
  assert.deepEqual(await keysOf(store.scan(space)), ['a', 'c']);
  assert.deepEqual(await keysOf(store.scanText(space)), ['a', 'c']);
  const snapshot = await store.snapshot(space);
  assert.deepEqual(await snapshot.texts(['a', 'b']), ['"a"', undefined]);
  assert.deepEqual(await collect(snapshot.keys({})), ['a', 'c']);
  await snapshot.close();
});

test('rows of an earlier version, which have no checksum, are read; in a new store a row without one is damaged', async (t) => {
  const withoutChecksum = async (level: ClassicLevel<string, Buffer>) => {
    await level.put(rowKey(space, 'b'), Buffer.from('"old"\x00'));
    await level.put(rowKey(space, 'd'), Buffer.from('"due"\x00\x00\x00\x00\x00\x00\x09\x01'));
  };
  const folder = await storeWith(t, withoutChecksum);
  const strict = await openStore(folder);
  assert.throws(() => strict.get(space, 'b'), /its? has lost its checksum/);
  await strict.close();
  await rm(join(folder, 'CHECKSUMS'));
  const store = await openStore(folder);
  t.after(() => store.close());
  assert.equal((await store.get(space, 'b'))?.toString(), '"old"');
  assert.deepEqual(
    (await collect(store.scan(space, { withDue: true }))).map(({ value, dueSeconds }) => [
      value.toString(),
      dueSeconds,
    ]),
    [
      ['"a"', 7],
      ['"old"', undefined],
      ['"c"', 7],
      ['"due"', 9],
    ],
  );
  assert.deepEqual(
    (await collect(store.scanText(space))).map(({ text, bytes, mayBeDue }) => [text, bytes, mayBeDue]),
    [
      ['"a"', 3, true],
      ['"old"', 5, false],
      ['"c"', 3, true],
      ['"due"', 5, true],
    ],
  );
});
