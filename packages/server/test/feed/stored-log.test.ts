import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ItemStore } from '../../src/engines/item-store.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import { openStoredLog } from '../../src/feed/stored-log.js';

test('servers that start at the same time have one feed', async () => {
  const level = await openLevelStore({ memory: true });
  try {
    let key = 100;
    const order = { name: 'one', losses: 0 };
    const soFar = async () => ({ complete: String(key), unused: String(key) });
    let startsBetween = async () => {};
    const complete = async () => {
      const asked = String(key++);
      await startsBetween();
      return asked;
    };
    const items: ItemStore = {
      ...level,
      isShared: true,
      keepChanges: async () => ({ complete, soFar, order: () => order }),
    };
    const start = async () => {
      const log = await openStoredLog(items, Date.now, true);
      assert.ok(log);
      return log;
    };
    const servers = [await start()];
    startsBetween = async () => {
      startsBetween = async () => {};
      servers.push(await start());
    };
    servers.push(await start());
    assert.equal(servers.length, 3);
    assert.equal(new Set(servers.map(({ epoch }) => epoch)).size, 1);
  } finally {
    await level.close();
  }
});
