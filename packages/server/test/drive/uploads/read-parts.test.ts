import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { jsonRow, partKey } from '../../../src/drive/rows.js';
import { createUploadParts } from '../../../src/drive/uploads/read-parts.js';
import { openLevelStore } from '../../../src/engines/level/store.js';
import { randomId } from '../../../src/lib/random-id.js';
import { driveSpace } from '../../../src/spaces.js';

test('of long lists of parts a few are in memory at once, and short ones wait for nobody', async () => {
  const items = await openLevelStore({ memory: true });
  const upload = async (project: string, count: number) => {
    const [space, id] = [driveSpace(project, 'd'), randomId()];
    const puts = Array.from({ length: count }, (_, n) => jsonRow(partKey(id, n + 1), { sizeBytes: n }));
    await items.transact(space, [], () => ({ puts, result: undefined }));
    return [space, id] as const;
  };
  const long = await upload('a', 1000);
  const ofOther = await upload('b', 1000);
  const short = await upload('a', 10);
  const parts = createUploadParts(items);
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const used = { a: 0, b: 0 };
  const use = (project: 'a' | 'b') => async (found: ReadonlyMap<number, unknown>) => {
    used[project]++;
    await released;
    return found.size;
  };
  const reads = Array.from({ length: 8 }, () => parts.readAll(...long, use('a')));
  while (used.a === 0) await setImmediate();
  const others = Array.from({ length: 8 }, () => parts.readAll(...ofOther, use('b')));
  while (used.b === 0) await setImmediate();
  assert.equal(await parts.readAll(...short, ({ size }) => size), 10);
  for (let turn = 0; turn < 100; turn++) await setImmediate();
  assert.ok(used.a <= 2 && used.b <= 2, JSON.stringify(used));
  release();
  assert.deepEqual(await Promise.all([...reads, ...others]), Array(16).fill(1000));
  const page = await parts.readPage(...long, {
    after: 990,
    limit: 5,
    use: (found) => found.map(([part]) => part),
  });
  assert.deepEqual(page, [991, 992, 993, 994, 995]);
  await items.close();
});
