import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ranks } from '../../src/access/rights.js';
import type { ItemStore } from '../../src/engines/item-store.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import { hashOf } from '../../src/keys/check/accepted-keys.js';
import { TooManyKeys } from '../../src/keys/key-administration.js';
import { createKeyRing, type KeyRing } from '../../src/keys/key-ring.js';
import { maxKeysPerProject } from '../../src/keys/new-key.js';
import { keysSpace, limitedKeysSpace } from '../../src/spaces.js';

const startMs = 1_700_000_000_000;

/** A store and a clock that a test sets. */
async function open() {
  const items: ItemStore = { ...(await openLevelStore({ memory: true })), isShared: true };
  let nowMs = startMs;
  return {
    items,
    clock: () => nowMs,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

/** The rows of all keys, by their ids. */
async function rowsOf(items: ItemStore): Promise<Map<string, Record<string, unknown>>> {
  const rows = new Map<string, Record<string, unknown>>();
  for (const space of [keysSpace, limitedKeysSpace]) {
    for await (const batch of items.scan(space, { gte: '0' })) {
      for (const { key, value } of batch) rows.set(key, JSON.parse(value.toString()));
    }
  }
  return rows;
}

/** What a request finds. */
async function authenticated(ring: KeyRing, key: string) {
  await ring.read(key);
  return ring.authenticate(key);
}

const listed = async (ring: KeyRing) => (await ring.list({ limit: 1000 })).keys;

test('a limited key outlives the ring with its limits', async () => {
  const { items, clock } = await open();
  const { key, id } = await (await createKeyRing(items, [], clock)).create('shop', {
    access: 'write',
    bases: ['a*'],
    prefix: 'x/',
    origins: ['https://shop.example'],
    requestsPerSecond: 5,
  });
  const ring = await createKeyRing(items, [], clock);
  const grant = await authenticated(ring, key);
  assert.ok(grant);
  assert.deepEqual([grant.keyId, grant.project, grant.rank, grant.prefix], [id, 'shop', ranks.write, 'x/']);
  assert.ok(grant.bases.has('ab') && !grant.bases.has('b') && !grant.drives.has('ab'));
  assert.ok(grant.origins?.has('https://shop.example'));
  assert.ok(grant.rate);
});

test('rows that earlier versions wrote are keys without limits, and an earlier version finds no hash of a limited key', async () => {
  const { items, clock } = await open();
  const ring = await createKeyRing(items, [], clock);
  const [full, limited] = [await ring.create('shop'), await ring.create('shop', { access: 'read' })];
  const rows = await rowsOf(items);
  // The members that versions without limits read.
  const { project, sha256, createdSeconds } = rows.get(full.id) ?? {};
  assert.deepEqual(rows.get(full.id), { project, sha256, createdSeconds });
  assert.equal(rows.get(limited.id)?.sha256, undefined);
  const grant = (await createKeyRing(items, [], clock)).authenticate(full.key);
  assert.equal(grant?.rank, ranks['no limit']);
});

test('a key is valid until the second of its expiry, then its row is deleted', async () => {
  const { items, clock, pass } = await open();
  const lines: string[] = [];
  const log = { info: (_: object, text: string) => lines.push(text), error: assert.fail };
  const ring = await createKeyRing(items, [], clock, { log });
  const { key, id } = await ring.create('shop', { access: 'read', expiresInSeconds: 60 });
  pass(59_999);
  assert.ok(await authenticated(ring, key));
  assert.ok(ring.grantOf(id) && ring.linkSecret(id));
  assert.equal((await listed(ring)).length, 1);
  pass(1);
  assert.equal(ring.authenticate(key), undefined);
  assert.equal(ring.grantOf(id), undefined);
  assert.equal(ring.linkSecret(id), undefined);
  assert.deepEqual(await listed(ring), []);
  assert.deepEqual(await items.due(clock() / 1000, 9), [{ space: limitedKeysSpace, key: id }]);
  assert.equal(await ring.handleDue(limitedKeysSpace, id), true);
  assert.equal((await rowsOf(items)).size, 0);
  assert.deepEqual(lines, ['key created', 'key expired']);
});

test('the last use is written to the minute, once a minute at most, and by every server', async () => {
  const { items, clock, pass } = await open();
  let writes = 0;
  const counted: ItemStore = {
    ...items,
    transact: (space, keys, decide) => {
      writes++;
      return items.transact(space, keys, decide);
    },
  };
  const [here, there] = [await createKeyRing(counted, [], clock), await createKeyRing(items, [], clock)];
  const { key, id } = await here.create('shop');
  await there.reload();
  writes = 0;
  const minute = Math.floor(startMs / 60_000) * 60;
  const lastUsed = async () => (await rowsOf(items)).get(id)?.lastUsedSeconds;
  for (let n = 0; n < 100; n++) here.authenticate(key);
  assert.equal(await lastUsed(), undefined);
  assert.equal((await listed(here))[0]?.lastUsedSeconds, minute);
  for (let n = 0; n < 5; n++) await here.tidy();
  assert.equal(writes, 1);
  assert.equal(await lastUsed(), minute);
  // Another server learns of it by its next reload, and writes only what is later.
  there.authenticate(key);
  await there.reload();
  await there.tidy();
  assert.equal((await listed(there))[0]?.lastUsedSeconds, minute);
  pass(60_000);
  there.authenticate(key);
  await there.tidy();
  assert.equal(await lastUsed(), minute + 60);
  await here.tidy();
  assert.equal(await lastUsed(), minute + 60);
  await items.close();
});

test('a key that was revoked elsewhere is not written again with its last use', async () => {
  const { items, clock } = await open();
  const [here, there] = [await createKeyRing(items, [], clock), await createKeyRing(items, [], clock)];
  const { key, id } = await here.create('shop');
  here.authenticate(key);
  await there.revoke(id);
  await here.tidy();
  assert.equal((await rowsOf(items)).size, 0);
  assert.equal(here.authenticate(key), undefined);
});

test('a reload keeps what is left of the rate of a key', async () => {
  const { items, clock } = await open();
  const ring = await createKeyRing(items, [], clock);
  const { key } = await ring.create('shop', { access: 'full', requestsPerSecond: 1 });
  assert.equal((await authenticated(ring, key))?.rate?.take(1000), 0);
  await ring.reload();
  await ring.create('shop');
  assert.equal(ring.authenticate(key)?.rate?.take(1000), 1);
});

test('a link secret belongs to one key, is the same on every server, and ends with the key', async () => {
  const { items, clock } = await open();
  const [here, there] = [
    await createKeyRing(items, ['demo_s3cret'], clock),
    await createKeyRing(items, ['demo_s3cret'], clock),
  ];
  const [one, other] = [await here.create('shop'), await here.create('shop', { access: 'read' })];
  await there.reload();
  await Promise.all([here.readId(other.id), there.readId(other.id)]);
  const operatorId = here.authenticate('demo_s3cret')?.keyId ?? '';
  assert.match(operatorId, /^operator-[0-9a-f]{12}$/);
  assert.equal(there.authenticate('demo_s3cret')?.keyId, operatorId);
  assert.equal(here.grantOf(operatorId)?.project, 'demo');
  const secrets = [one.id, other.id, operatorId].map((id) => here.linkSecret(id)?.toString('hex'));
  assert.equal(new Set(secrets).size, 3);
  for (const secret of secrets) assert.match(secret ?? '', /^[0-9a-f]{64}$/);
  assert.deepEqual(
    [one.id, other.id, operatorId].map((id) => there.linkSecret(id)?.toString('hex')),
    secrets,
  );
  const stored = JSON.stringify([...(await rowsOf(items))]);
  for (const secret of secrets) assert.ok(!stored.includes(secret ?? ''));
  await here.revoke(one.id);
  assert.equal(here.linkSecret(one.id), undefined);
  assert.equal(here.linkSecret('unknown'), undefined);
});

test('a project has a limited number of keys without limits, and other projects their own', async () => {
  const { items, clock } = await open();
  const row = (project: string, limits: object) =>
    Buffer.from(JSON.stringify({ project, createdSeconds: 1, ...limits }));
  const rows = Array.from({ length: maxKeysPerProject - 1 }, (_, n) => ({
    key: `k${n}`,
    value: row('full', { sha256: `${n}` }),
  }));
  // Limited keys of earlier versions are in the same space.
  const before = { key: 'before', value: row('full', { limited: { access: 'read', sha256: 'x' } }) };
  await items.transact(keysSpace, [], () => ({ puts: [...rows, before], result: undefined }));
  const ring = await createKeyRing(items, [], clock);
  assert.ok(await ring.create('full'));
  await assert.rejects(ring.create('full'), TooManyKeys);
  assert.ok(await ring.create('full', { access: 'read' }));
  assert.ok(await ring.create('shop'));
  await ring.revoke('k0');
  assert.ok(await ring.create('full'));
  await assert.rejects(ring.create('full'), TooManyKeys);
});

test('a limited key that an earlier version has made works until it expires', async () => {
  const { items, clock, pass } = await open();
  const limited = { access: 'read', sha256: hashOf('shop_before'), expiresAtSeconds: startMs / 1000 + 10 };
  const value = Buffer.from(JSON.stringify({ project: 'shop', limited, createdSeconds: 1 }));
  await items.transact(keysSpace, [], () => ({ puts: [{ key: 'before', value }], result: undefined }));
  const ring = await createKeyRing(items, [], clock);
  assert.equal(ring.authenticate('shop_before')?.keyId, 'before');
  await ring.tidy();
  assert.deepEqual(await items.due(startMs, 9), []);
  assert.equal((await listed(ring))[0]?.id, 'before');
  pass(10_000);
  assert.equal(ring.authenticate('shop_before'), undefined);
  await ring.tidy();
  assert.equal((await rowsOf(items)).size, 0);
});
