import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ItemStore } from '../../src/engines/item-store.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import { type KeyInfo, type KeyPosition, keyPages } from '../../src/keys/key-administration.js';
import { createKeyRing, type KeyRing } from '../../src/keys/key-ring.js';
import { limitedKeysSpace } from '../../src/spaces.js';

const startMs = 1_700_000_000_000;
/** Room for a few keys. */
const maxHeldBytes = 10_000;

async function open({ isShared = true } = {}) {
  const store = await openLevelStore({ memory: true });
  let nowMs = startMs;
  let reads = 0;
  const items: ItemStore = {
    ...store,
    isShared,
    get(space, key) {
      reads++;
      return store.get(space, key);
    },
  };
  const clock = () => nowMs;
  return {
    items,
    clock,
    ring: () => createKeyRing(items, ['demo_operator'], clock, { maxHeldBytes }),
    pass: (ms: number) => {
      nowMs += ms;
    },
    reads: () => reads,
  };
}

async function authenticated(ring: KeyRing, key: string) {
  await ring.read(key);
  return ring.authenticate(key);
}

function event() {
  let happen = () => {};
  const happened = new Promise<void>((resolve) => {
    happen = resolve;
  });
  return { happened, happen: () => happen() };
}

async function allOf(ring: KeyRing, project?: string): Promise<KeyInfo[]> {
  const infos: KeyInfo[] = [];
  for await (const page of keyPages(ring, project)) infos.push(...page);
  return infos;
}

test('more keys than memory holds work, keep their rates, and have their last use written', async () => {
  const { ring: openRing } = await open();
  const ring = await openRing();
  const limits = { access: 'read', requestsPerSecond: 1 } as const;
  const keys = await Promise.all(Array.from({ length: 300 }, () => ring.create('shop', limits)));
  const nowMs = performance.now();
  for (const { key, id } of keys) {
    const grant = await authenticated(ring, key);
    assert.equal(grant?.keyId, id);
    assert.equal(grant.rate?.take(nowMs + 1_000_000), 0);
  }
  for (const { key } of keys) {
    assert.equal((await authenticated(ring, key))?.rate?.take(nowMs + 1_000_000), 1);
  }
  await ring.tidy();
  const used = (await allOf(await openRing(), 'shop')).map(({ lastUsedSeconds }) => lastUsedSeconds);
  assert.deepEqual(used, Array(300).fill(startMs / 1000 - 20));
});

test('a deleted key is refused here at once and elsewhere after a reload, in memory or not, and requests learn of it', async () => {
  const { ring: openRing } = await open();
  const [here, there] = [await openRing(), await openRing()];
  const keys = await Promise.all(Array.from({ length: 100 }, () => here.create('shop', { access: 'full' })));
  await there.reload();
  const grants: unknown[] = [];
  for (const { key } of keys) grants.push([await authenticated(here, key), await authenticated(there, key)]);
  for (const { id } of keys) assert.equal(await here.revoke(id, 'shop'), true);
  for (const { key, id } of keys) {
    assert.equal(await authenticated(here, key), undefined);
    assert.equal(await here.revoke(id, 'shop'), false);
  }
  await there.reload();
  for (const { key, id } of keys) {
    assert.equal(await authenticated(there, key), undefined);
    await there.readId(id);
    assert.equal(there.grantOf(id), undefined);
    assert.equal(there.linkSecret(id), undefined);
  }
  for (const [ofHere, ofThere] of grants as { isDeleted: boolean }[][]) {
    assert.ok(ofHere?.isDeleted && ofThere?.isDeleted);
  }
});

test('a server that missed too many deletions compares what it has in memory with the rows', async () => {
  const { items, ring: openRing } = await open();
  const ring = await openRing();
  const [kept, gone] = [
    await ring.create('shop', { access: 'read' }),
    await ring.create('shop', { access: 'read' }),
  ];
  const grants = [await authenticated(ring, kept.key), await authenticated(ring, gone.key)];
  const last = { key: '!ended', value: Buffer.from('20000') };
  await items.transact(limitedKeysSpace, [], () => ({ puts: [last], deletes: [gone.id], result: undefined }));
  await ring.reload();
  assert.deepEqual(
    grants.map((grant) => grant?.isDeleted),
    [false, true],
  );
  assert.equal(await authenticated(ring, gone.key), undefined);
  assert.ok(await authenticated(ring, kept.key));
});

test('the rows of old deletions go with new ones', async () => {
  const { items, ring: openRing } = await open();
  const ring = await openRing();
  const last = { key: '!ended', value: Buffer.from('20000') };
  const old = { key: '!ended/000000010001', value: Buffer.from('x') };
  await items.transact(limitedKeysSpace, [], () => ({ puts: [last, old], result: undefined }));
  const { id } = await ring.create('shop', { access: 'read' });
  await ring.revoke(id);
  const rows: string[] = [];
  for await (const batch of items.scan(limitedKeysSpace, { prefix: '!ended' }))
    rows.push(...batch.map(({ key }) => key));
  assert.deepEqual(rows, ['!ended', '!ended/000000020001']);
});

test('a key that is deleted while it is read does not come back', async () => {
  const { items, clock } = await open();
  const letGo = event();
  const slow: ItemStore = {
    ...items,
    async get(space, key) {
      const row = await items.get(space, key);
      if (key.startsWith('0')) await letGo.happened;
      return row;
    },
  };
  const ring = await createKeyRing(slow, [], clock);
  const { key, id } = await ring.create('shop', { access: 'read' });
  const reading = ring.read(key);
  assert.ok(reading);
  assert.equal(ring.read(key), reading);
  await ring.revoke(id);
  letGo.happen();
  await reading;
  assert.equal(ring.authenticate(key), undefined);
});

test('keys and ids that somebody makes up cause no read, and those of deleted keys cause one', async () => {
  const { ring: openRing, reads } = await open({ isShared: false });
  const ring = await openRing();
  const { key, id } = await ring.create('shop', { access: 'read' });
  const before = reads();
  const changed = (text: string, at: number) =>
    text.slice(0, at) + (text[at] === '0' ? '1' : '0') + text.slice(at + 1);
  for (let at = 0; at < id.length; at++) {
    assert.equal(ring.readId(changed(id, at)), undefined, id);
    assert.equal(ring.read(changed(key, 'shop_'.length + at)), undefined);
  }
  for (const wrong of ['', '_', 'shop_', `${key}x`, key.slice(0, -1), id, id.toUpperCase()]) {
    assert.equal(ring.read(wrong), undefined, wrong);
    assert.equal(ring.authenticate(wrong), undefined, wrong);
  }
  assert.equal(reads(), before);
  // A wrong secret behind a right id is compared with the key in memory.
  for (let n = 0; n < 10; n++)
    assert.equal(await authenticated(ring, changed(key, key.length - 1)), undefined);
  assert.equal(reads(), before + 1);
  assert.ok(await authenticated(ring, key));
  await ring.revoke(id);
  for (let n = 0; n < 10; n++) assert.equal(await authenticated(ring, key), undefined);
  assert.equal(reads(), before + 2);
});

test('another server knows the first limited key of a store at once: to accept it, to sign with it and to delete it', async () => {
  const { ring: openRing } = await open();
  const [here, accepts, signs, deletes] = await Promise.all([openRing(), openRing(), openRing(), openRing()]);
  const { key, id, s3 } = await here.create('shop', { access: 'read', s3: true });
  assert.equal((await authenticated(accepts, key))?.keyId, id);
  await signs.readS3(s3?.accessKeyId ?? '');
  assert.ok(signs.s3Signer(s3?.accessKeyId ?? ''));
  assert.equal(await deletes.revoke(id, 'shop'), true);
  assert.equal(await authenticated(deletes, key), undefined);
});

test('made-up keys cause at most ten reads a second in a store that has no limited key, and none when it has one', async () => {
  const { ring: openRing, reads } = await open();
  const [here, there] = [await openRing(), await openRing()];
  const madeUp = (n: number) => `shop_${String(n).padStart(20, '0')}${'x'.repeat(32)}`;
  const [before, startedMs] = [reads(), performance.now()];
  for (let n = 0; n < 4; n++) {
    const keys = Array.from({ length: 500 }, (_, at) => madeUp(n * 500 + at));
    const grants = await Promise.all(keys.map((key) => authenticated(there, key)));
    assert.deepEqual(new Set(grants), new Set([undefined]));
  }
  const tenths = Math.ceil((performance.now() - startedMs) / 100) + 1;
  assert.ok(reads() - before <= Math.min(4, tenths), `${reads() - before} reads in ${tenths} tenths`);
  // Those that were refused are refused at once.
  assert.equal(there.read(madeUp(0)), undefined);
  const { key } = await here.create('shop', { access: 'read' });
  assert.ok(await authenticated(there, key));
  const after = reads();
  assert.equal(there.read(madeUp(9999)), undefined);
  assert.equal(reads(), after);
});

test('a reload that began before the first limited key was made does not forget how its id is marked', async () => {
  const { items, clock, reads } = await open();
  const [read, letGo] = [event(), event()];
  let isHeld = false;
  const slow: ItemStore = {
    ...items,
    async get(space, key) {
      const row = await items.get(space, key);
      if (key !== '!secret' || !isHeld) return row;
      read.happen();
      await letGo.happened;
      return row;
    },
  };
  const ring = await createKeyRing(slow, [], clock);
  isHeld = true;
  const reloading = ring.reload();
  await read.happened;
  const { key } = await ring.create('shop', { access: 'read' });
  letGo.happen();
  await reloading;
  const before = reads();
  assert.ok(await authenticated(ring, key));
  assert.equal(reads(), before + 1);
});

test('pages list every key of a project once, the oldest first, while others are made and deleted', async () => {
  const { ring: openRing, pass } = await open();
  const ring = await openRing();
  const made: string[] = [];
  for (let n = 0; n < 120; n++) {
    const limits = n % 3 === 0 ? undefined : ({ access: 'read' } as const);
    made.push((await ring.create('shop', limits)).id);
    if (n % 7 === 0) pass(1000);
    if (n % 5 === 0) await ring.create('other', { access: 'read' });
  }
  for (const limit of [1, 7, 119, 120, 1000]) {
    const found: KeyInfo[] = [];
    let after: KeyPosition | undefined;
    do {
      const page = await ring.list({ project: 'shop', after, limit });
      assert.ok(page.keys.length <= limit);
      found.push(...page.keys);
      after = page.last;
    } while (after !== undefined);
    assert.deepEqual(new Set(found.map(({ id }) => id)), new Set(made), `pages of ${limit}`);
    const created = found.map(({ createdSeconds }) => createdSeconds);
    assert.deepEqual(
      created,
      created.toSorted((a, b) => a - b),
    );
    assert.equal(found.length, made.length);
  }
  const { last } = await ring.list({ project: 'shop', limit: 50 });
  assert.ok(last);
  await ring.revoke(last.id);
  const rest = await ring.list({ project: 'shop', after: last, limit: 1000 });
  assert.equal(rest.keys.length, 70);
  const projects = (await allOf(ring)).map(({ project }) => project);
  assert.deepEqual(projects, projects.toSorted());
  assert.equal(projects.length, 119 + 24);
});

test('all keys of a project are revoked at once, and those of others stay', async () => {
  const { ring: openRing } = await open();
  const [ring, other] = [await openRing(), await openRing()];
  const keys = await Promise.all(
    Array.from({ length: 1100 }, (_, n) => ring.create('shop', n < 3 ? undefined : { access: 'read' })),
  );
  const kept = [
    await ring.create('shop2', { access: 'read' }),
    await ring.create('shop-', { access: 'read' }),
  ];
  await other.reload();
  assert.ok(await authenticated(other, keys[5]?.key ?? ''));
  await ring.revokeAll('shop');
  assert.deepEqual(await allOf(ring, 'shop'), []);
  await other.reload();
  for (const { key } of keys) assert.equal(await authenticated(other, key), undefined);
  for (const { key } of kept) assert.ok(await authenticated(other, key));
});

test('a store with a limited key is not empty, so no first key is made beside it', async () => {
  const { items, clock } = await open();
  const ring = await createKeyRing(items, [], clock);
  assert.equal(ring.isEmpty, true);
  const { id } = await ring.create('shop', { access: 'read' });
  assert.equal(ring.isEmpty, false);
  const other = await createKeyRing(items, [], clock);
  assert.equal(other.isEmpty, false);
  assert.equal(await other.createFirst('a'), undefined);
  await other.revoke(id);
  assert.ok(await other.createFirst('a'));
});
