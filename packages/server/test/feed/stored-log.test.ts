import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ItemStore, Row } from '../../src/engines/item-store.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import { createDropOld, nextKey } from '../../src/feed/retention.js';
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

/** The same rows in another store, as they are in a copy of a data folder. */
async function copyOf(items: ItemStore): Promise<ItemStore> {
  const copy = await openLevelStore({ memory: true });
  for await (const space of items.spaces('')) {
    const puts: Row[] = [];
    for await (const rows of items.scan(space)) puts.push(...rows);
    await copy.transact(space, [], () => ({ puts, result: undefined }));
  }
  return copy;
}

async function start(items: ItemStore) {
  const log = await openStoredLog(items, Date.now, true);
  assert.ok(log);
  return {
    log,
    async position() {
      return { epoch: log.epoch, next: await log.complete() };
    },
    async put(count: number, project = 'demo') {
      for (let n = 0; n < count; n++)
        await items.transact(`base/${project}/b`, [], () => ({
          puts: [{ key: `k${n}`, value: Buffer.from('{}') }],
          result: undefined,
        }));
    },
  };
}

test('positions stay valid over restarts, also when what was before them was dropped', async () => {
  const items = await openLevelStore({ memory: true });
  const first = await start(items);
  const begin = await first.position();
  await first.put(2, 'one');
  await first.put(2, 'two');
  const end = await first.position();
  await createDropOld({ items, clock: Date.now, log: console, keepMs: 0, mayWork: () => true })();
  const second = await start(items);
  const idle = await second.position();
  const third = await start(items);
  await third.put(1);
  for (const position of [begin, end, idle]) assert.ok(await third.log.hasGiven(position));
  assert.ok(!(await third.log.hasGiven({ ...end, next: nextKey(end.next) })));
  await items.close();
});

for (const moment of ['while a server ran', 'while none ran']) {
  test(`a store that is restored from a copy made ${moment} refuses positions after the copy`, async () => {
    const items = await openLevelStore({ memory: true });
    const first = await start(items);
    await first.put(2);
    const before = await first.position();
    const copy = await copyOf(items);
    const original = moment === 'while none ran' ? await start(items) : first;
    await original.put(2);
    const lost = await original.position();
    const restored = await start(copy);
    await restored.put(5);
    assert.ok(await restored.log.hasGiven(before));
    assert.ok(!(await restored.log.hasGiven(lost)));
    assert.ok(await (await start(items)).log.hasGiven(lost));
    await items.close();
    await copy.close();
  });
}
