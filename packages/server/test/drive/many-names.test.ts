import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { contentKey } from '../../src/drive/rows.js';
import { createDriveService } from '../../src/drive/service.js';
import type { ItemStore } from '../../src/engines/item-store.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import { openMemoryBlobStore } from '../../src/engines/memory/blob-store.js';

const many = Array.from({ length: 30 }, (_, n) => `f${n}`);

test('of the changes of many names, one of a project is stored at a time, and another project waits for none', async (context) => {
  const items = await openLevelStore({ memory: true });
  context.after(() => items.close());
  let isHeld = false;
  let release: () => void = () => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  let atOnce = 0;
  const held: ItemStore = {
    ...items,
    async transact(space, keys, decide, options) {
      const isHeldBack = isHeld && space.includes('busy') && keys.length >= many.length;
      if (isHeldBack) {
        atOnce++;
        await isReleased;
        atOnce--;
      }
      return await items.transact(space, keys, decide, options);
    },
  };
  const service = createDriveService({
    items: held,
    blobs: openMemoryBlobStore(),
    clock: Date.now,
    settings: { uploadTtlSeconds: 60, trashSeconds: 60 },
    wakeMaintenance() {},
  });
  const put = (project: string, drive: string) =>
    Promise.all(
      many.map((name) =>
        service.put(project, drive, name, { source: Buffer.from('x'), contentType: 'text/plain' }),
      ),
    );
  const moved = { files: many.map((from) => ({ from, to: `${from}m` })), overwrite: false };
  for (const drive of ['a', 'b', 'c']) await put('busy', drive);
  await put('other', 'a');
  await service.remove('busy', 'c', many);
  const { files } = await service.trash.list('busy', 'c', { prefix: '', within: '', last: '', limit: 100 });
  assert.equal(files.length, many.length);

  isHeld = true;
  const restored = { files: files.map(({ id }, n) => ({ id, name: `f${n}` })), overwrite: false, within: '' };
  const changes = [
    service.move('busy', 'a', moved),
    service.remove('busy', 'b', many),
    service.trash.restore('busy', 'c', restored),
  ];
  while (atOnce === 0) await nextTurn();
  await service.move('other', 'a', moved);
  // A change of few names does not wait.
  await service.put('busy', 'd', 'few', { source: Buffer.from('x'), contentType: 'text/plain' });
  assert.equal(atOnce, 1);
  release();
  await Promise.all(changes);
  assert.equal(atOnce, 0);
});

test('copies of many small files read few of them in a turn of the event loop, however many copies there are', async (context) => {
  const items = await openLevelStore({ memory: true });
  context.after(() => items.close());
  let [inTurn, most, all] = [0, 0, 0];
  let timer = setImmediate(next);
  function next() {
    inTurn = 0;
    timer = setImmediate(next);
  }
  context.after(() => clearImmediate(timer));
  const watched: ItemStore = {
    ...items,
    get(space, key) {
      if (key.startsWith(contentKey(''))) {
        all++;
        most = Math.max(most, ++inTurn);
      }
      return items.get(space, key);
    },
  };
  const service = createDriveService({
    items: watched,
    blobs: openMemoryBlobStore(),
    clock: Date.now,
    settings: { uploadTtlSeconds: 60 },
    wakeMaintenance() {},
  });
  await service.put('p', 'd', 'file', { source: Buffer.from('x'), contentType: 'text/plain' });
  const copies = Array.from({ length: 6 }, (_, n) => {
    const files = Array.from({ length: 100 }, (_, m) => ({ from: 'file', to: `c${n}-${m}` }));
    return service.copy('p', 'd', { files, overwrite: false }, () => false);
  });
  await Promise.all(copies);
  assert.equal(all, 600);
  assert.ok(most <= 64, `${most} in a turn`);
});
