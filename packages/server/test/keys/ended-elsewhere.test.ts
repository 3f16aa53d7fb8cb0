import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ItemStore, Row } from '../../src/engines/item-store.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import { createKeyRing, type KeyRing } from '../../src/keys/key-ring.js';
import { keysSpace, limitedKeysSpace } from '../../src/spaces.js';
import { createGate } from '../support/gate.js';
import { testKeysOfTwoServers } from '../support/keys-of-two-servers.js';

const clock = () => 1_700_000_000_000;
/** What hangs would hang for ever. */
const patience = { timeout: 20_000 };

async function openShared(): Promise<ItemStore> {
  return { ...(await openLevelStore({ memory: true })), isShared: true };
}

async function accepts(ring: KeyRing, key: string): Promise<boolean> {
  await ring.read(key);
  return ring.authenticate(key) !== undefined;
}

testKeysOfTwoServers(openShared);

test(
  'a change of keys that hangs does not keep its server from learning of deletions',
  patience,
  async () => {
    const items = await openShared();
    const gate = createGate();
    const hanging: ItemStore = {
      ...items,
      async transact(space, keys, decide) {
        if (space === keysSpace) await gate.passed;
        return await items.transact(space, keys, decide);
      },
    };
    const [here, there] = [await createKeyRing(hanging, [], clock), await createKeyRing(items, [], clock)];
    const keys = [await there.create('shop'), await there.create('shop', { access: 'read' })];
    await here.reload();
    for (const { key } of keys) assert.ok(await accepts(here, key));
    const changes = [here.create('shop'), here.revoke('none', 'shop')];
    for (const { id } of keys) await there.revoke(id, 'shop');
    await here.reload();
    for (const { key } of keys) assert.ok(!(await accepts(here, key)));
    gate.open();
    const [made] = await Promise.all(changes);
    assert.ok(typeof made === 'object' && (await accepts(here, made.key)));
  },
);

test('limited keys end when those without limits cannot be read', async () => {
  const items = await openShared();
  let isFailing = false;
  const failing: ItemStore = {
    ...items,
    scan(space, range) {
      if (isFailing && space === keysSpace) throw new Error('away');
      return items.scan(space, range);
    },
  };
  const [here, there] = [await createKeyRing(failing, [], clock), await createKeyRing(items, [], clock)];
  const { key, id } = await there.create('shop', { access: 'read' });
  assert.ok(await accepts(here, key));
  await there.revoke(id);
  isFailing = true;
  await assert.rejects(here.reload(), /away/);
  assert.ok(!(await accepts(here, key)));
});

test('a reload that began before a key was made or deleted here does not take that back', async () => {
  const items = await openShared();
  let gate: ReturnType<typeof createGate> | undefined;
  const slow: ItemStore = {
    ...items,
    async *scan(space, range) {
      const held = gate;
      yield* items.scan(space, range);
      await held?.passed;
    },
  };
  const ring = await createKeyRing(slow, [], clock);
  const deleted = await ring.create('shop');
  const held = createGate();
  gate = held;
  const reloaded = ring.reload();
  const made = await ring.create('shop');
  const revoked = ring.revoke(deleted.id);
  gate = undefined;
  held.open();
  await reloaded;
  assert.ok(await accepts(ring, made.key));
  await revoked;
  assert.ok(!(await accepts(ring, deleted.key)));
  assert.ok(await accepts(ring, made.key));
});

/** A server that reads a limited key while another one deletes it, and `meanwhile` happens. */
async function deletedWhileRead(meanwhile: (items: ItemStore) => Promise<void>) {
  const items = await openShared();
  const gate = createGate();
  let slowId = '';
  const slow: ItemStore = {
    ...items,
    async get(space, key) {
      const row = await items.get(space, key);
      const isHeld = key === slowId;
      if (isHeld) slowId = '';
      await (isHeld ? gate.passed : undefined);
      return row;
    },
  };
  const here = await createKeyRing(slow, [], clock);
  const there = await createKeyRing(items, [], clock);
  const made = await there.create('shop', { access: 'read' });
  slowId = made.id;
  await here.reload();
  const reading = here.read(made.key);
  await there.revoke(made.id);
  await meanwhile(items);
  await here.reload();
  gate.open();
  await reading;
  assert.ok(!(await accepts(here, made.key)));
}

test('a server that missed too many deletions gets no deleted key that it was reading', async () => {
  await deletedWhileRead(async (items) => {
    const last = { key: '!ended', value: Buffer.from('20001') };
    const deletes = ['!ended/000000000001'];
    await items.transact(limitedKeysSpace, [], () => ({ puts: [last], deletes, result: undefined }));
  });
});

test('a server that finds less deletions than there were compares what it has with the rows', async () => {
  await deletedWhileRead(async (items) => {
    const deletes = ['!ended/000000000001'];
    await items.transact(limitedKeysSpace, [], () => ({ deletes, result: undefined }));
  });
});

/** Makes the rows of the limited keys what they were, as a standby of the database does that lacked the last commits. */
async function keptRows(items: ItemStore): Promise<() => Promise<void>> {
  const rowsNow = async () => {
    const rows: Row[] = [];
    for await (const batch of items.scan(limitedKeysSpace)) rows.push(...batch);
    return rows;
  };
  const puts = await rowsNow();
  return async () => {
    const kept = new Set(puts.map(({ key }) => key));
    const deletes = (await rowsNow()).map(({ key }) => key).filter((key) => !kept.has(key));
    await items.transact(limitedKeysSpace, [], () => ({ puts, deletes, result: undefined }));
  };
}

for (const before of [0, 1]) {
  test(`when a deletion is lost and its number is given again, after ${before}, each server has the keys of the rows`, async () => {
    const items = await openShared();
    const [here, there] = [await createKeyRing(items, [], clock), await createKeyRing(items, [], clock)];
    const make = () => there.create('shop', { access: 'read' });
    const [lost, ended, kept] = [await make(), await make(), await make()];
    if (before === 1) await there.revoke((await make()).id);
    for (const ring of [here, there]) await ring.reload();
    for (const { key } of [lost, ended, kept]) assert.ok(await accepts(here, key));
    const loseLaterRows = await keptRows(items);
    await there.revoke(lost.id);
    for (const ring of [here, there]) {
      await ring.reload();
      assert.ok(!(await accepts(ring, lost.key)));
    }
    await loseLaterRows();
    await there.revoke(ended.id);
    for (const ring of [here, there]) {
      await ring.reload();
      assert.ok(!(await accepts(ring, ended.key)));
      for (const { key } of [lost, kept]) assert.ok(await accepts(ring, key));
    }
  });
}

test('a server whose secret was lost takes that of the others', async () => {
  const items = await openShared();
  const [here, there] = [await createKeyRing(items, [], clock), await createKeyRing(items, [], clock)];
  const loseLaterRows = await keptRows(items);
  await here.create('shop', { access: 'read' });
  await loseLaterRows();
  const { key } = await there.create('shop', { access: 'read' });
  await here.reload();
  assert.ok(await accepts(here, key));
  const ofHere = await here.create('shop', { access: 'read' });
  await there.reload();
  assert.ok(await accepts(there, ofHere.key));
});
