import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Reply } from '../src/api.js';
import { type Base, freshBase } from '../src/names.js';
import { openStoredTarget } from '../src/target.js';
import { expectErrors, expectJson, expectStatus } from './support/expect.js';
import { createKey } from './support/keys.js';
import { useService } from './support/service.js';

interface Job {
  readonly key: string;
  readonly at: number;
  readonly state?: string;
  readonly n?: number;
}

interface Claimed {
  readonly updated: number;
  readonly deleted: number;
  readonly items: readonly Job[];
}

/** With data on disk, where a commit takes time and others ask in the meantime. */
describe('claims', () => {
  const service = useService(openStoredTarget);

  const send = (base: Base, path: string, json: unknown, key?: string): Promise<Reply> =>
    service.api.send('POST', `${base.root}/query/${path}`, key === undefined ? { json } : { json, key });

  async function jobs(count: number): Promise<Base> {
    const base = freshBase(service.api);
    for (let at = 0; at < count; at += 25) {
      const some = Array.from({ length: Math.min(25, count - at) }, (_, n) => at + n);
      // In another order than that of the keys.
      const items = some.map((n) => ({ key: `j${n}`, at: (n * 7919) % count, state: 'new' }));
      expectStatus(await base.put(...items), 207);
    }
    return base;
  }

  const claim = { query: { state: 'new' }, set: { state: 'taken' }, order: ['at'], return: 'new' };
  const claimed = (reply: Reply): Claimed => {
    expectStatus(reply, 200);
    return reply.json<Claimed>();
  };

  async function withIndex(base: Base): Promise<Base> {
    const path = `${base.root}/indexes`;
    const json = { fields: ['state', 'at'] };
    expectStatus(await service.api.send('PUT', `${path}/queue`, { json }), 202);
    const states = async () =>
      (await service.api.send('GET', path))
        .json<{ indexes: { state: string }[] }>()
        .indexes.map(({ state }) => state);
    while ((await states())[0] !== 'ready') await new Promise((resolve) => setTimeout(resolve, 20));
    return base;
  }

  for (const kind of ['without an index', 'by an index']) {
    test(`many callers never claim the same item, and all are claimed in their order, ${kind}`, async () => {
      const count = 300;
      const base = await jobs(count);
      if (kind === 'by an index') await withIndex(base);
      const taken: Job[] = [];
      await Promise.all(
        Array.from({ length: 16 }, async (_, caller) => {
          let before = -1;
          for (;;) {
            const { updated, items } = claimed(
              await send(base, 'update', { ...claim, limit: 1 + (caller % 10) }),
            );
            assert.equal(items.length, updated);
            if (updated === 0) return;
            for (const { at, state } of items) {
              assert.equal(state, 'taken');
              assert.ok(at > before, 'a later claim has later jobs');
              before = at;
            }
            taken.push(...items);
          }
        }),
      );
      assert.equal(taken.length, count);
      assert.equal(new Set(taken.map(({ key }) => key)).size, count);
    });

    test(`many callers delete what they get, and each item is given once, ${kind}`, async () => {
      const count = 200;
      const base = await jobs(count);
      if (kind === 'by an index') await withIndex(base);
      const popped: Job[] = [];
      await Promise.all(
        Array.from({ length: 12 }, async () => {
          for (;;) {
            const body = { query: { state: 'new' }, order: ['-at'], limit: 7, return: 'old' };
            const { deleted, items } = claimed(await send(base, 'delete', body));
            assert.equal(items.length, deleted);
            if (deleted === 0) return;
            assert.deepEqual(
              items,
              items.toSorted((a, b) => b.at - a.at),
            );
            popped.push(...items);
          }
        }),
      );
      assert.equal(new Set(popped.map(({ key }) => key)).size, count);
      assert.equal(popped.length, count);
      expectJson(await send(base, 'count', {}), 200, { count: 0 });
    });
  }

  test('claims and other writers of the same items lose nothing', async () => {
    const base = await jobs(60);
    let isOver = false;
    let written = 0;
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let n = writer; !isOver; n = (n + 7) % 60) {
        expectStatus(await base.update(`j${n}`, { increment: { n: 1 } }), 200);
        written++;
      }
    });
    const taken: Job[] = [];
    for (let items: readonly Job[] = [{ key: '', at: 0 }]; items.length > 0; taken.push(...items)) {
      items = claimed(await send(base, 'update', { ...claim, limit: 5 })).items;
    }
    isOver = true;
    await Promise.all(writers);
    assert.equal(new Set(taken.map(({ key }) => key)).size, 60);
    const { items } = (await base.query({})).json<{ items: Job[] }>();
    assert.equal(
      items.reduce((sum, { n = 0 }) => sum + n, 0),
      written,
    );
    assert.ok(items.every(({ state }) => state === 'taken'));
  });

  test('what an update moves back in the order is changed once', async () => {
    const base = await jobs(20);
    const body = { query: { 'at?gte': 0 }, order: ['at'], limit: 100, increment: { at: 50 }, return: 'old' };
    const { updated, items } = claimed(await send(base, 'update', body));
    assert.equal(updated, 20);
    assert.deepEqual(
      items.map(({ at }) => at),
      Array.from({ length: 20 }, (_, n) => n),
    );
  });

  test('without an order, the first ones are those by key', async () => {
    const base = freshBase(service.api);
    await base.put({ key: 'b', n: 1 }, { key: 'a', n: 'x' }, { key: 'c', n: 1 }, { key: 'd', n: 1 });
    const body = { all: true, increment: { n: 1 }, limit: 2, return: 'new' };
    const reply = await send(base, 'update', body);
    assert.equal(
      reply.text,
      '{"updated":2,"failed":[{"key":"a","errors":["increment.n: the attribute is not a number"],' +
        '"codes":[{"code":"attribute_mismatch","path":"increment.n"}]}],"failed_count":1,' +
        '"items":[{"key":"b","n":2},{"key":"c","n":2}]}',
    );
    const gone = await send(base, 'delete', { query: { n: 2 }, limit: 100, return: 'old' });
    assert.equal(gone.text, '{"deleted":2,"items":[{"key":"b","n":2},{"key":"c","n":2}]}');
    const none = await send(base, 'delete', { query: { n: 2 }, limit: 1, return: 'old' });
    assert.equal(none.text, '{"deleted":0,"items":[]}');
    const ordered = { query: { 'n?gte': 0 }, order: ['-key'], limit: 1, set: { n: 9 } };
    expectJson(await send(base, 'update', ordered), 200, { updated: 1, failed: [], failed_count: 0 });
    expectJson(await base.get('d'), 200, { key: 'd', n: 9 });
    const dry = { all: true, set: { n: 0 }, return: 'new', limit: 3, dry_run: true };
    expectJson(await send(base, 'update', dry), 200, { matched: 2 });
  });

  test('what is given back is bounded', async () => {
    const base = freshBase(service.api);
    const text = 'x'.repeat(380 * 1024);
    for (let n = 0; n < 60; n += 20) {
      await base.put(...Array.from({ length: 20 }, (_, m) => ({ key: `k${n + m}`, text })));
    }
    const body = { all: true, limit: 100, return: 'old' };
    const first = claimed(await send(base, 'delete', body));
    assert.ok(first.deleted >= 40 && first.deleted < 60, `${first.deleted}`);
    assert.equal(first.items.length, first.deleted);
    assert.equal(claimed(await send(base, 'delete', body)).deleted, 60 - first.deleted);
  });

  test('bad members are answered with 400 that names them', async () => {
    const base = await jobs(3);
    const set = { state: 'bad' };
    const query = { state: 'new' };
    for (const limit of [undefined, null, 0, 101, 1.5, '5', 1e9]) {
      for (const more of [{ return: 'old' }, { order: ['at'] }]) {
        expectErrors(
          await send(base, 'update', { query, set, limit, ...more }),
          400,
          /^limit: must be a whole/,
        );
        expectErrors(await send(base, 'delete', { query, limit, ...more }), 400, /^limit: must be a whole/);
      }
    }
    expectErrors(
      await send(base, 'delete', { query, limit: 1, return: 'new' }),
      400,
      /^return: must be old$/,
    );
    expectErrors(await send(base, 'update', { query, set, limit: 1, return: 'it' }), 400, /^return: /);
    expectErrors(await send(base, 'update', { query, set, limit: 1, order: 'at' }), 400, /^order: /);
    expectErrors(
      await send(base, 'update', { query, set, limit: 1, order: ['a', 'a'] }),
      400,
      /^order\[1\]: /,
    );
    expectErrors(await send(base, 'update', { query, set, upsert: {} }), 400, /^upsert: belongs to/);
    expectErrors(await send(base, 'delete', { limit: 1, return: 'old' }), 400, /^all: /);
    expectJson(await send(base, 'count', { query }), 200, { count: 3 });
  });

  test('a key with a prefix claims only what begins with it', async () => {
    const base = freshBase(service.api);
    await base.put({ key: 'a/1', at: 2 }, { key: 'a/2', at: 3 }, { key: 'b/1', at: 1 });
    const { key } = await createKey(service.api, { access: 'write', prefix: 'a/' });
    const body = { query: { 'at?gte': 0 }, order: ['at'], limit: 10, return: 'old' };
    const { items } = claimed(await send(base, 'delete', body, key));
    assert.deepEqual(items, [
      { key: 'a/1', at: 2 },
      { key: 'a/2', at: 3 },
    ]);
    const { key: reading } = await createKey(service.api, { access: 'read' });
    expectErrors(await send(base, 'delete', body, reading), 403);
  });
});
