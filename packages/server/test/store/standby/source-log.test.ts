import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ItemStore } from '../../../src/engines/item-store.js';
import { openLevelStore } from '../../../src/engines/level/store.js';
import { changeState } from '../../../src/feed/log-state.js';
import { sharedLog } from '../../../src/store/standby/source-log.js';

test('what was compared while no server saw that a standby has taken over need not be compared again until one does', async () => {
  const level = await openLevelStore({ memory: true });
  try {
    const order = { name: 'promoted', losses: 0 };
    const complete = async () => '20';
    const soFar = async () => ({ complete: '20', unused: '20' });
    const items: ItemStore = {
      ...level,
      keepChanges: async () => ({ complete, soFar, order: () => order }),
    };
    await changeState(items, (before) => ({ ...before, epoch: 'first', order: 'before' }));
    const log = await sharedLog(items);
    const position = { epoch: await log.epoch(), next: '20' };
    assert.equal(await log.hasGiven(position), true);
    await changeState(items, (before) => ({ ...before, epoch: 'second', order: 'promoted' }));
    assert.equal(await log.hasGiven(position), false);
    assert.equal(await log.hasGiven({ epoch: await log.epoch(), next: '20' }), true);
  } finally {
    await level.close();
  }
});
