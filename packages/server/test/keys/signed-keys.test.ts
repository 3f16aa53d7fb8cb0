import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { ranks } from '../../src/access/rights.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import { signKey } from '../../src/keys/check/signed-keys.js';
import type { SignedPayload } from '../../src/keys/check/signed-payload.js';
import { createKeyRing } from '../../src/keys/key-ring.js';

test('a signed key is valid on every server of the rows, until its second, and writes no row', async () => {
  const items = await openLevelStore({ memory: true });
  let nowMs = 1_700_000_000_000;
  const open = () => createKeyRing(items, ['demo_operator'], () => nowMs);
  const ring = await open();
  const parent = ring.authenticate('demo_operator');
  const made = ring.sign(parent?.keyId ?? '', { access: 'read', prefix: 'x', expiresInSeconds: 10 });
  assert.ok(made !== undefined);
  const other = await open();
  assert.equal(other.authenticate(made.key)?.prefix, 'x');
  assert.equal(other.authenticate(made.key), other.authenticate(made.key));
  assert.equal(other.authenticate(made.key)?.keyId, made.id);
  nowMs += 9_999;
  assert.ok(other.authenticate(made.key) !== undefined);
  nowMs += 1;
  assert.equal(other.authenticate(made.key), undefined);
  assert.equal(ring.authenticate(made.key), undefined);
  assert.deepEqual((await ring.list({ limit: 10 })).keys, []);
  assert.equal(ring.sign('nobody', { access: 'read', expiresInSeconds: 1 }), undefined);
  await items.close();
});

test('what is in progress with a signed key ends with the key that made it', async () => {
  const items = await openLevelStore({ memory: true });
  const ring = await createKeyRing(items, [], Date.now);
  const parent = await ring.create('demo');
  const limited = await ring.create('demo', { access: 'full', prefix: 'x' });
  const made = ring.sign(parent.id, { access: 'read', expiresInSeconds: 60 });
  const grant = ring.authenticate(made?.key);
  assert.equal(grant?.isDeleted, false);
  await ring.create('demo');
  assert.equal(grant?.isDeleted, false);
  await ring.revoke(parent.id);
  assert.equal(grant?.isDeleted, true);
  assert.equal(ring.authenticate(made?.key), undefined);
  // Only a key without limits may make keys, whoever signed it.
  const forged = ring.sign(limited.id, { access: 'full', expiresInSeconds: 60 });
  assert.equal(ring.authenticate(forged?.key), undefined);
  await items.close();
});

test('keys beyond those that are kept in memory work, and end, and so do those that were forgotten', async () => {
  const items = await openLevelStore({ memory: true });
  const ring = await createKeyRing(items, [], Date.now);
  const { id: keyId } = await ring.create('demo');
  const keys = Array.from(
    { length: 10_050 },
    () => ring.sign(keyId, { access: 'read', expiresInSeconds: 60 })?.key,
  );
  const grants = keys.map((key) => ring.authenticate(key));
  assert.ok(grants.every((grant) => grant !== undefined && !grant.isDeleted));
  assert.notEqual(ring.authenticate(keys[0]), grants[0]);
  // Also a long request that a key has begun which was forgotten since.
  await ring.revoke(keyId);
  assert.ok(grants.every((grant) => grant?.isDeleted));
  assert.equal(ring.authenticate(keys[0]), undefined);
  await items.close();
});

/** Signs any payload with the hash of a key without limits, as whoever has a copy of the rows can. */
async function openForger() {
  const items = await openLevelStore({ memory: true });
  const ring = await createKeyRing(items, [], Date.now);
  const parent = await ring.create('demo');
  const grant = ring.authenticate(parent.key);
  assert.ok(grant !== undefined);
  const sha256 = createHash('sha256').update(parent.key).digest('base64url');
  const grantOf = (payload: unknown) =>
    ring.authenticate(signKey('demo', { grant, sha256, lastUsedMs: 0 }, payload as SignedPayload));
  return { items, grantOf };
}

test('a key that was signed with a stolen hash may not do what only a key without limits may', async () => {
  const { items, grantOf } = await openForger();
  const forged = (access: string) =>
    grantOf({ id: 'forged', limits: { access, expiresAtSeconds: 4e9 }, createdSeconds: 0 });
  assert.equal(forged('full')?.rank, ranks.full);
  for (const access of ['no limit', 'operator', 'no key', '']) assert.equal(forged(access), undefined);
  await items.close();
});

test('what is signed and is no payload is no key', async () => {
  const { items, grantOf } = await openForger();
  const good = { id: 'x', limits: { access: 'read' }, createdSeconds: 0 };
  assert.ok(grantOf(good));
  const limits = (more: object) => ({ ...good, limits: { ...good.limits, ...more } });
  for (const wrong of [
    null,
    7,
    [],
    {},
    { id: 'x' },
    { ...good, id: 1 },
    { ...good, id: '' },
    { ...good, name: {} },
    { ...good, createdSeconds: '0' },
    { ...good, limits: null },
    limits({ access: ['read'] }),
    limits({ bases: 'abc' }),
    limits({ drives: [1] }),
    limits({ origins: {} }),
    limits({ prefix: 1 }),
    limits({ expiresAtSeconds: 'never' }),
    limits({ requestsPerSecond: -1 }),
  ])
    assert.equal(grantOf(wrong), undefined, JSON.stringify(wrong));
  await items.close();
});
