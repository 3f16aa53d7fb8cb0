import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, type TestContext, test } from 'node:test';
import { bytesOfRows } from '../../../../src/engines/level/database/disk-room.js';
import { openFolderLevel } from '../../../../src/engines/level/database/folder-database.js';
import type { Tables } from '../../../../src/engines/level/database/synced-database.js';
import { encodeRow, rowKey } from '../../../../src/engines/level/rows/row-encoding.js';
import { createEmptiedRows } from '../../../../src/engines/level/shrink/emptied-rows.js';
import { createShrinker } from '../../../../src/engines/level/shrink/shrink.js';
import { createUrgentShrink } from '../../../../src/engines/level/shrink/urgent-shrink.js';
import { temporaryFolder } from '../../../support/level-folder.js';

const space = 'base/demo/emptied';
const mib = 1024 * 1024;
const rowBytes = 64 * 1024;
const ids = Array.from({ length: 320 }, (_, n) => rowKey(space, `k${String(n).padStart(4, '0')}`));
/** LevelDB's log, and what it has not merged yet. */
const restBytes = 6 * mib;
/** The disk has little room, as far as the part under test knows. */
const shortRoom = {
  isShort: true,
  hasHalf: true,
  look: async () => {},
  noteWrite() {},
  giveBack: async () => {},
};

/** 20 MB of rows, in a LevelDB of their own, with what gives them back on a disk that has little room. */
async function filled(t: TestContext, change: (tables: Tables) => Tables = (tables) => tables) {
  const folder = await temporaryFolder(t);
  const database = await openFolderLevel({ folder, create: true });
  t.after(() => database.close());
  const emptied = createEmptiedRows();
  const remove = async (keys: readonly string[], isNoted: boolean) => {
    const operations = keys.map((key) => ({ type: 'del' as const, key }));
    if (isNoted) emptied.note(operations, () => rowBytes, true);
    await database.write(operations);
  };
  for (const key of ids)
    await database.write([
      { type: 'put', key, value: encodeRow(key, { key, value: randomBytes(rowBytes) }) },
    ]);
  const time = { ms: 0 };
  const dependencies = {
    folder,
    tables: change(database.tables as Tables),
    emptied,
    room: shortRoom,
    isHeldBack: () => false,
    // The rows after those that were deleted do not exist.
    rewrite: (keys: readonly string[]) => database.write(keys.map((key) => ({ type: 'del', key }))),
    monotonicMs: () => time.ms,
  };
  const isGivenBack = async () => (await bytesOfRows(folder)) < restBytes;
  return { database, emptied, remove, time, dependencies, isGivenBack };
}

describe('on a disk with little room, what was deleted is given back', () => {
  test('also what was deleted while there was room', async (t) => {
    const { remove, dependencies, isGivenBack } = await filled(t);
    const shrinker = await createShrinker(dependencies);
    await remove(ids, true);
    assert.ok(!(await isGivenBack()));
    await shrinker.run({});
    assert.ok(await isGivenBack());
    await shrinker.close();
  });

  test('soon after the delete, without being asked', async (t) => {
    let noteCompacted = () => {};
    const compacted = new Promise<void>((resolve) => {
      noteCompacted = resolve;
    });
    const { remove, dependencies, isGivenBack } = await filled(t, (tables) => ({
      ...tables,
      compact: async (from, to) => {
        await tables.compact(from, to);
        noteCompacted();
      },
    }));
    const shrinker = await createShrinker(dependencies);
    await remove(ids, true);
    shrinker.noteWrite();
    await compacted;
    await shrinker.close();
    assert.ok(await isGivenBack());
  });

  test('though a kill made the server forget it', async (t) => {
    const { remove, dependencies, isGivenBack } = await filled(t);
    await remove(ids, false);
    await createUrgentShrink(dependencies).run();
    assert.ok(await isGivenBack());
  });

  test('where little else is free, only what is known is touched', async (t) => {
    const { remove, dependencies, isGivenBack } = await filled(t);
    await remove(ids, false);
    await createUrgentShrink({ ...dependencies, room: { ...shortRoom, hasHalf: false } }).run();
    assert.ok(!(await isGivenBack()));
  });

  test('once nobody can see it any more', async (t) => {
    const { database, emptied, remove, dependencies, time, isGivenBack } = await filled(t);
    const release = database.hold();
    const reader = (await database.opened()).iterator();
    await reader.next();
    await remove(ids, true);
    const shrink = createUrgentShrink(dependencies);
    await shrink.run();
    assert.ok(!(await isGivenBack()));
    assert.ok(emptied.bytes > 0, 'it was forgotten');
    await reader.close();
    release();
    time.ms += 60_000;
    await shrink.run();
    assert.ok(await isGivenBack());
    assert.equal(emptied.bytes, 0);
  });

  test('again, later and later, when LevelDB had no room to compact it', async (t) => {
    let refused = 0;
    let compactions = 0;
    let hasRoom = false;
    const { emptied, remove, dependencies, time, isGivenBack } = await filled(t, (tables) => ({
      ...tables,
      refusedWrites: () => refused,
      // LevelDB says nothing then, and refuses the next write.
      async compact(from, to) {
        compactions++;
        if (hasRoom) await tables.compact(from, to);
        else refused++;
      },
    }));
    await remove(ids, true);
    const shrink = createUrgentShrink({ ...dependencies, room: { ...shortRoom, hasHalf: false } });
    const perRun: number[] = [];
    for (let second = 0; second < 8; second++) {
      const before = compactions;
      await shrink.run();
      perRun.push(compactions - before > 0 ? 1 : 0);
      time.ms += 1000;
    }
    assert.deepEqual(perRun, [1, 1, 0, 1, 0, 0, 0, 1]);
    hasRoom = true;
    time.ms += 60_000;
    await shrink.run();
    assert.ok(await isGivenBack());
    assert.equal(emptied.bytes, 0);
  });
});
