import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ItemStore } from '../../src/engines/item-store.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import { createKeyRing } from '../../src/keys/key-ring.js';
import { keysSpace } from '../../src/spaces.js';

const clock = () => 1_700_000_000_000;

test('a key authenticates its project, and nothing else does', async () => {
  const items = await openLevelStore({ memory: true });
  const ring = await createKeyRing(items, ['demo_s3cret', 'demo_x_y'], clock);
  const { key } = await ring.create('shop');
  assert.equal(ring.authenticate(key)?.project, 'shop');
  assert.equal(ring.authenticate('demo_s3cret')?.project, 'demo');
  assert.equal(ring.authenticate('demo_x_y')?.project, 'demo');
  for (const wrong of [
    undefined,
    '',
    '_',
    'shop',
    'shop_',
    key.slice(0, -1),
    `${key}x`,
    key.toLowerCase(),
    'demo_',
  ]) {
    assert.equal(ring.authenticate(wrong), undefined, wrong);
  }
});

test('a ring without any key is empty', async () => {
  const items = await openLevelStore({ memory: true });
  const ring = await createKeyRing(items, [], clock);
  assert.ok(ring.isEmpty);
  const { id } = await ring.create('shop');
  assert.ok(!ring.isEmpty);
  await ring.revoke(id);
  assert.ok(ring.isEmpty);
  assert.ok(!(await createKeyRing(items, ['demo_s3cret'], clock)).isEmpty);
});

test('a revoked key no longer works when the promise resolves, and the others do', async () => {
  const items = await openLevelStore({ memory: true });
  const ring = await createKeyRing(items, ['demo_s3cret'], clock);
  const [kept, revoked] = [await ring.create('shop'), await ring.create('shop')];
  assert.equal(await ring.revoke(revoked.id), true);
  assert.equal(ring.authenticate(revoked.key), undefined);
  assert.equal(ring.authenticate(kept.key)?.project, 'shop');
  assert.equal(ring.authenticate('demo_s3cret')?.project, 'demo');
  assert.equal(await ring.revoke(revoked.id), false);
  assert.deepEqual((await ring.list({ limit: 10 })).keys, [
    { id: kept.id, project: 'shop', createdSeconds: 1_700_000_000, lastUsedSeconds: 1_699_999_980 },
  ]);
});

test('keys outlive the ring; the rows hold only hashes of their secrets', async () => {
  const items = await openLevelStore({ memory: true });
  const { key, id } = await (await createKeyRing(items, ['demo_s3cret'], clock)).create('shop');
  const ring = await createKeyRing(items, [], clock);
  assert.equal(ring.authenticate(key)?.project, 'shop');
  assert.equal(ring.authenticate('demo_s3cret'), undefined);
  const rows: string[] = [];
  for await (const batch of items.scan(keysSpace))
    rows.push(...batch.map((row) => `${row.key} ${row.value}`));
  assert.equal(rows.length, 1);
  assert.ok(rows[0]?.startsWith(`${id} `));
  assert.ok(!rows[0]?.includes(key.split('_')[1] ?? ''));
});

test('a reload sees the changes of another server', async () => {
  const items = await openLevelStore({ memory: true });
  const [here, there] = [await createKeyRing(items, [], clock), await createKeyRing(items, [], clock)];
  const { key, id } = await there.create('shop');
  assert.equal(here.authenticate(key), undefined);
  await here.reload();
  assert.equal(here.authenticate(key)?.project, 'shop');
  await there.revoke(id);
  await here.reload();
  assert.equal(here.authenticate(key), undefined);
});

test('a reload that began before a revocation does not bring the key back', async () => {
  const items = await openLevelStore({ memory: true });
  let hold: Promise<void> | undefined;
  const slow: ItemStore = {
    ...items,
    async *scan(space, range) {
      const held = hold;
      hold = undefined;
      yield* items.scan(space, range);
      await held;
    },
  };
  const ring = await createKeyRing(slow, [], clock);
  const { key, id } = await ring.create('shop');
  let letGo = () => {};
  hold = new Promise((resolve) => {
    letGo = resolve;
  });
  const reloaded = ring.reload();
  const revoked = ring.revoke(id);
  // Without turns the revocation would be over by now.
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
  letGo();
  await Promise.all([reloaded, revoked]);
  assert.equal(ring.authenticate(key), undefined);
});

test('of ten servers that start at once over the same rows, one creates the first key, and all accept it', async () => {
  const items = await openLevelStore({ memory: true });
  const rings = await Promise.all(Array.from({ length: 10 }, () => createKeyRing(items, [], clock)));
  const made = await Promise.all(rings.map((ring, n) => ring.createFirst(`p${n}`)));
  const [first, ...others] = made.filter((key) => key !== undefined);
  assert.ok(first);
  assert.deepEqual(others, []);
  for (const ring of rings) assert.equal(ring.authenticate(first.key)?.project, first.project);
  assert.equal((await rings[0]?.list({ limit: 10 }))?.keys.length, 1);
});

test('a first key is created if there is none, again after its revocation, and never beside another', async () => {
  const items = await openLevelStore({ memory: true });
  const [ring, other] = [await createKeyRing(items, [], clock), await createKeyRing(items, [], clock)];
  const made = await ring.createFirst('a');
  assert.ok(made);
  assert.equal(await ring.createFirst('b'), undefined);
  await ring.revoke(made.id);
  assert.ok(await ring.createFirst('c'));
  await ring.revoke(made.id);
  await other.create('shop');
  assert.equal(await ring.createFirst('d'), undefined);
  assert.equal(await (await createKeyRing(items, ['demo_s3cret'], clock)).createFirst('e'), undefined);
});

test('a project whose name breaks the rule gets no key', async () => {
  const ring = await createKeyRing(await openLevelStore({ memory: true }), [], clock);
  for (const project of ['', 'a_b', 'a/b', 'ä', 'a b', 'a\u0000', 'x'.repeat(65)]) {
    await assert.rejects(ring.create(project), /1 to 64 letters, digits and hyphens/, project);
  }
  assert.equal((await ring.create('x'.repeat(64))).project.length, 64);
});
