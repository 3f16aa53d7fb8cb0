import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { ClassicLevel } from 'classic-level';
import fc from 'fast-check';
import { trackLevelLog } from '../../../src/engines/level/database/track-log.js';
import { batchBytes, nextRecord } from '../../../src/engines/level/format/log-format.js';
import { readLog } from '../../../src/engines/level/format/log-reader.js';
import { writeLog } from '../../../src/engines/level/format/log-writer.js';
import type { Operation } from '../../../src/engines/shared/group-commit.js';

type Level = ClassicLevel<string, Buffer>;
const encodings = { keyEncoding: 'utf8', valueEncoding: 'buffer' } as const;
/** The smallest that LevelDB takes: its log begins anew every 64 KiB. */
const writeBufferSize = 64 * 1024;

let top: string;
let folders = 0;
before(async () => {
  top = await mkdtemp(join(tmpdir(), 'basedrive-level-log-'));
});
after(() => rm(top, { recursive: true, force: true, maxRetries: 10 }));

async function openLevel(t: TestContext | undefined, options = {}): Promise<Level> {
  folders++;
  const level: Level = new ClassicLevel(join(top, String(folders)), { ...encodings, ...options });
  await level.open();
  t?.after(() => level.close());
  return level;
}

async function write(level: Level, operations: readonly Operation[]): Promise<void> {
  const batch = level.batch();
  for (const operation of operations) {
    if (operation.type === 'put') batch.put(operation.key, operation.value);
    else batch.del(operation.key);
  }
  await batch.write({ sync: true });
}

async function newestLog(folder: string): Promise<string> {
  const logs = (await readdir(folder)).filter((name) => name.endsWith('.log')).sort();
  return join(folder, logs.at(-1) ?? '');
}

const byKey = ([a]: [string, Buffer], [b]: [string, Buffer]) => (a < b ? -1 : 1);
const blockBytes = 32 * 1024;
const value = (size: number) => Buffer.alloc(size, 'v');
const put = (key: string, size: number): Operation => ({ type: 'put', key, value: value(size) });

describe('where a record of the log ends', () => {
  const key = fc.oneof(
    fc.string({ minLength: 1, maxLength: 200 }),
    fc.string({ unit: 'grapheme', minLength: 1 }),
  );
  const size = fc.oneof(fc.nat(400), fc.integer({ min: 32_600, max: 32_800 }), fc.nat(200_000));
  const operation = fc.oneof(
    fc.tuple(key, size).map(([name, bytes]) => put(name, bytes)),
    key.map((name): Operation => ({ type: 'del', key: name })),
  );
  const batches = fc.array(fc.array(operation, { minLength: 1, maxLength: 5 }), {
    minLength: 1,
    maxLength: 12,
  });

  test('is where LevelDB ends it', async () => {
    await fc.assert(
      fc.asyncProperty(batches, async (all) => {
        const level = await openLevel(undefined);
        const log = await newestLog(level.location);
        let end = 0;
        for (const operations of all) {
          await write(level, operations);
          ({ end } = nextRecord(end, batchBytes(operations)));
          assert.equal((await stat(log)).size, end);
        }
        await level.close();
        const written = await readFile(log);
        const { records, faults } = readLog(written);
        assert.deepEqual([records.length, faults], [all.length, []]);
        assert.ok(
          writeLog(records.map(({ bytes }) => bytes)).equals(written),
          'writeLog writes what LevelDB writes',
        );
      }),
      { numRuns: 25 },
    );
  });

  test('is where LevelDB ends it with each number of bytes that a block can have left', async (t) => {
    const level = await openLevel(t);
    const log = await newestLog(level.location);
    const endOf = (from: number, operations: Operation[]) => nextRecord(from, batchBytes(operations)).end;
    let end = 0;
    for (let left = 0; left < 10; left++) {
      const wanted = (Math.floor(end / blockBytes) + 2) * blockBytes - left;
      let size = wanted - end;
      while (endOf(end, [put('k', size)]) > wanted) size--;
      for (const operations of [[put('k', size)], [put('l', 3)]]) {
        await write(level, operations);
        end = endOf(end, operations);
        assert.equal((await stat(log)).size, end);
        if (operations[0]?.key === 'k') assert.equal(end, wanted);
      }
    }
  });
});

describe('the log that LevelDB writes', () => {
  test('gets preallocated space, and LevelDB finds all that was written when it is opened again', async () => {
    const level = await openLevel(undefined, { writeBufferSize });
    const written = new Map<string, Buffer>();
    const logs = new Set<string>();
    for (let round = 0; round < 20; round++) {
      const log = await trackLevelLog(level.location);
      for (let n = round * 15; n < round * 15 + 15; n++) {
        const operations = [put(`k${n % 70}`, (n * 7919) % 3000), put(`m${n}`, n % 40 === 39 ? 70_000 : n)];
        await log.before(operations);
        await write(level, operations);
        await log.after();
        for (const operation of operations) {
          if (operation.type === 'put') written.set(operation.key, operation.value);
        }
        logs.add(await newestLog(level.location));
      }
      await log.close();
      // LevelDB closes without writing a table: opening reads the log.
      await level.close();
      await level.open();
      assert.deepEqual(new Map(await level.iterator().all()), new Map([...written].sort(byKey)));
    }
    await level.close();
    assert.ok(logs.size > 20, `${logs.size} logs in 20 rounds`);
  });

  test('stays small while it holds little', async (t) => {
    const level = await openLevel(t);
    const log = await trackLevelLog(level.location);
    t.after(() => log.close());
    const sizes: number[] = [];
    for (let n = 0; n < 3; n++) {
      const operations = [put(`k${n}`, 3000)];
      await log.before(operations);
      await write(level, operations);
      assert.equal(log.after(), undefined);
      sizes.push((await stat(await newestLog(level.location))).size);
    }
    assert.deepEqual(sizes, [4096, 8192, 16_384]);
  });

  test('is followed when LevelDB begins another', async (t) => {
    const level = await openLevel(t, { writeBufferSize });
    const log = await trackLevelLog(level.location);
    t.after(() => log.close());
    const first = await newestLog(level.location);
    let moves = 0;
    for (let n = 0; n < 12; n++) {
      const operations = [put(`k${n}`, 20_000)];
      await log.before(operations);
      await write(level, operations);
      const moved = log.after();
      if (moved !== undefined) moves++;
      await moved;
    }
    assert.notEqual(await newestLog(level.location), first);
    assert.ok(moves >= 2 && moves <= 4, `${moves} logs in 240 kB`);
  });
});
