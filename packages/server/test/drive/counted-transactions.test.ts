import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCountedFiles } from '../../src/drive/counted-files.js';
import { jsonRow, nameKey, trashKey } from '../../src/drive/rows.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import { driveSpace } from '../../src/spaces.js';

const space = driveSpace('demo', 'photos');
const names = Array.from({ length: 20 }, (_, n) => `f${n}`);

test('a transaction that deletes many files into the trash is decided once, and counted', async (context) => {
  const rows = await openLevelStore({ memory: true });
  context.after(() => rows.close());
  const items = createCountedFiles(rows);
  const puts = names.map((name) => jsonRow(nameKey(name), { sizeBytes: 5 }));
  await items.transact(
    space,
    puts.map(({ key }) => key),
    () => ({ puts, result: undefined }),
  );
  let decided = 0;
  await items.transact(space, names.map(nameKey), (found) => {
    decided++;
    return {
      puts: found.map((value, n) => ({ key: trashKey(`${n}`), value: value as Buffer })),
      deletes: names.map(nameKey),
      result: undefined,
    };
  });
  assert.equal(decided, 1);
  const counter = await rows.get(space, 'count-trash/');
  assert.deepEqual(JSON.parse(String(counter)), { rows: 20, bytes: 100, building: '' });
});
