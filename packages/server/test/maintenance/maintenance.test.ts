import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { ItemStore } from '../../src/engines/item-store.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import { createMaintenance, type Owner, oneByOne } from '../../src/maintenance/maintenance.js';
import { createGate } from '../support/gate.js';

const nowSeconds = 1000;

describe('maintenance', () => {
  let items: ItemStore;
  let nowMs: number;
  let logged: unknown[];

  beforeEach(async () => {
    items = await openLevelStore({ memory: true });
    nowMs = nowSeconds * 1000;
    logged = [];
  });
  afterEach(() => items.close());

  async function due(space: string, key: string, dueSeconds = nowSeconds) {
    const value = Buffer.from('x');
    await items.transact(space, [], () => ({ puts: [{ key, value, dueSeconds }], result: null }));
  }
  const removeOne = (space: string, key: string) =>
    items.transact(space, [], () => ({ deletes: [key], result: true }));
  const remove = oneByOne(removeOne);
  const maintenanceOf = (owners: Record<string, Owner>) =>
    createMaintenance({
      items,
      owners,
      clock: () => nowMs,
      log: { error: (fields) => logged.push(fields) },
      mayWork: () => true,
    });
  const left = async () => (await items.due(2 ** 40, 10_000)).map((row) => row.key);

  test('hands each due row to the owner of its space, and no other row', async () => {
    await due('base/demo/a', 'one');
    await due('drive/demo/a', 'two', 0);
    await due('base/demo/a', 'later', nowSeconds + 1);
    const seen: string[] = [];
    const owner =
      (name: string): Owner =>
      (space, keys, mayContinue) => {
        seen.push(`${name} ${space} ${keys}`);
        return remove(space, keys, mayContinue);
      };
    const maintenance = maintenanceOf({ base: owner('b'), drive: owner('d') });
    await maintenance.runOnce();
    assert.deepEqual(seen.sort(), ['b base/demo/a one', 'd drive/demo/a two']);
    nowMs += 1000;
    await maintenance.runOnce();
    assert.deepEqual(await left(), []);
  });

  test('handles more than one batch in one run', async () => {
    const puts = Array.from({ length: 1234 }, (_, n) => ({
      key: String(n),
      value: Buffer.alloc(0),
      dueSeconds: n % 900,
    }));
    await items.transact('base/demo/a', [], () => ({ puts, result: null }));
    await maintenanceOf({ base: remove }).runOnce();
    assert.deepEqual(await left(), []);
  });

  test('is not blocked by rows that fail, that wait or that have no owner, and tries them again', async () => {
    for (let n = 0; n < 150; n++) await due('base/demo/a', `fails ${n}`, 1);
    await due('base/demo/a', 'waits', 2);
    await due('odd/demo/a', 'nobody', 3);
    await due('base/demo/a', 'good');
    let broken = true;
    const maintenance = maintenanceOf({
      base: oneByOne(async (space, key) => {
        if (key === 'waits') return broken ? false : await removeOne(space, key);
        if (key.startsWith('fails') && broken) throw new Error('disk');
        return await removeOne(space, key);
      }),
    });
    await maintenance.runOnce();
    assert.equal((await left()).length, 152);
    assert.equal(logged.length, 151);
    broken = false;
    await maintenance.runOnce();
    assert.equal((await left()).length, 152, 'put off for a while');
    nowMs += 60_000;
    await maintenance.runOnce();
    assert.deepEqual(await left(), ['nobody']);
  });

  test('tries again what waits while new rows become due all the time', async () => {
    await due('base/demo/a', 'waits', 0);
    await due('base/demo/a', 'load 0');
    let tries = 0;
    await maintenanceOf({
      base: oneByOne(async (space, key) => {
        if (key === 'waits') return ++tries < 2 ? false : await removeOne(space, key);
        const n = Number(key.slice('load '.length));
        nowMs += 1000;
        if (n < 20) await due('base/demo/a', `load ${n + 1}`);
        return await removeOne(space, key);
      }),
    }).runOnce();
    assert.equal(tries, 2);
    assert.deepEqual(await left(), []);
  });

  test('ends a run in which more rows must wait than it remembers', { timeout: 60_000 }, async () => {
    const rows = 10_300;
    const puts = Array.from({ length: rows }, (_, n) => ({
      key: String(n),
      value: Buffer.alloc(0),
      dueSeconds: 0,
    }));
    await items.transact('base/demo/a', [], () => ({ puts, result: null }));
    let calls = 0;
    await maintenanceOf({
      base: async (_space, keys) => {
        calls += keys.length;
        return keys;
      },
    }).runOnce();
    assert.ok(calls >= 10_000 && calls <= rows, String(calls));
  });

  test('does not handle a row endlessly whose owner leaves it due', async () => {
    await due('base/demo/a', 'stays');
    let calls = 0;
    await maintenanceOf({
      base: async () => {
        calls++;
        return [];
      },
    }).runOnce();
    assert.ok(calls >= 1 && calls <= 2);
  });

  test('works when it is woken after its start, and its stop waits for work in progress', async () => {
    const began = createGate();
    const goOn = createGate();
    let ended = false;
    const maintenance = maintenanceOf({
      base: async (space, keys) => {
        began.open();
        await goOn.passed;
        await remove(space, keys, () => true);
        ended = true;
        return [];
      },
    });
    maintenance.wake();
    maintenance.start();
    await due('base/demo/a', 'one');
    maintenance.wake();
    await began.passed;
    const stopped = maintenance.stop();
    goOn.open();
    await stopped;
    assert.ok(ended);
    await due('base/demo/a', 'two');
    maintenance.wake();
    await maintenance.runOnce();
    assert.deepEqual(await left(), ['two']);
  });
});
