import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { type Base, freshBase } from '../src/names.js';
import { expectErrors, expectJson, expectStatus } from './support/expect.js';
import { useService } from './support/service.js';

const nowSeconds = () => Math.floor(Date.now() / 1000);
/** Enough time for the steps before the expiry, on a slow machine too. */
const secondsAhead = 4;

describe('the expiry of items', { concurrency: true }, () => {
  const service = useService();
  const base = () => freshBase(service.api);

  /** Reads the item until it has expired, and checks that this happens exactly at its second. */
  async function untilExpired(subject: Base, key: string, expires: number): Promise<void> {
    for (;;) {
      const before = Date.now();
      const { status } = await subject.get(key);
      const after = Date.now();
      if (status === 404) {
        assert.ok(after >= expires * 1000, 'expired before its second');
        return;
      }
      assert.ok(before < expires * 1000, 'not expired after its second');
      await wait(20);
    }
  }

  test('an item has expired for every operation from its second on', async () => {
    const subject = base();
    const expires = nowSeconds() + secondsAhead;
    const keys = ['get', 'insert', 'update', 'query', 'delete', 'put'];
    const items = keys.map((key) => ({ key, __expires: expires }));
    expectJson(await subject.put(...items), 207, { processed: { items } });
    expectJson(await subject.get('get'), 200, { key: 'get', __expires: expires });
    expectStatus(await subject.insert({ key: 'insert' }), 409);
    await untilExpired(subject, 'get', expires);
    expectJson(await subject.query({}), 200, { paging: { size: 0 }, items: [] });
    expectJson(await subject.update('update', { set: { a: 1 } }), 404, {
      errors: ['Key not found'],
      codes: [{ code: 'item_not_found' }],
    });
    expectJson(await subject.insert({ key: 'insert', again: true }), 201, { key: 'insert', again: true });
    expectJson(await subject.remove('delete'), 200, { key: 'delete' });
    expectStatus(await subject.put({ key: 'put' }), 207);
    // Items that were put again stay when maintenance removes the expired ones.
    await wait(1500);
    const { items: left } = (await subject.query({})).json<{ items: { key: string }[] }>();
    assert.deepEqual(
      left.map(({ key }) => key),
      ['insert', 'put'],
    );
  });

  test('an item whose second is past has expired at once', async () => {
    const subject = base();
    for (const expires of [nowSeconds() - 10, 0, 1, -1, nowSeconds()]) {
      expectStatus(await subject.put({ key: 'k', __expires: expires }), 207);
      expectJson(await subject.get('k'), 404, { key: 'k' });
      expectStatus(await subject.insert({ key: 'k', __expires: expires }), 201);
      expectJson(await subject.get('k'), 404, { key: 'k' });
    }
  });

  test('`__expires` is returned as an ordinary attribute until the item expires', async () => {
    const subject = base();
    const expires = nowSeconds() + 1000;
    const item = { key: 'k', __expires: expires, a: 1 };
    expectJson(await subject.insert(item), 201, item);
    expectJson(await subject.query({ query: [{ __expires: expires }] }), 200, {
      paging: { size: 1 },
      items: [item],
    });
    expectJson(await subject.query({ query: [{ '__expires?gt': expires }] }), 200, {
      paging: { size: 0 },
      items: [],
    });
  });

  test('an update may set, change and delete `__expires`', async () => {
    const subject = base();
    const soon = nowSeconds() + secondsAhead;
    await subject.put({ key: 'set' }, { key: 'cleared', __expires: soon }, { key: 'later', __expires: soon });
    expectStatus(await subject.update('set', { set: { __expires: soon } }), 200);
    expectStatus(await subject.update('cleared', { delete: ['__expires'] }), 200);
    expectStatus(await subject.update('later', { increment: { __expires: 1000 } }), 200);
    await untilExpired(subject, 'set', soon);
    expectJson(await subject.get('cleared'), 200, { key: 'cleared' });
    expectJson(await subject.get('later'), 200, { key: 'later', __expires: soon + 1000 });
    await wait(1500);
    expectStatus(await subject.get('cleared'), 200);
    expectStatus(await subject.get('later'), 200);
    expectStatus(await subject.update('later', { set: { __expires: nowSeconds() - 1 } }), 200);
    expectJson(await subject.get('later'), 404, { key: 'later' });
  });

  test('an overwrite without `__expires` removes it', async () => {
    const subject = base();
    const soon = nowSeconds() + 1;
    await subject.put({ key: 'k', __expires: soon }, { key: 'probe', __expires: soon });
    await subject.put({ key: 'k' });
    await untilExpired(subject, 'probe', soon);
    await wait(1500);
    expectJson(await subject.get('k'), 200, { key: 'k' });
  });

  test('`__expires` is a whole number of seconds; otherwise the answer is 400', async () => {
    const subject = base();
    await subject.put({ key: 'k', a: 1 });
    for (const expires of ['1800000000', null, true, [], {}, 1.5, 1_800_000_000.5]) {
      expectErrors(await subject.put({ key: 'k', __expires: expires }), 400, /__expires/);
      expectErrors(await subject.insert({ key: 'l', __expires: expires }), 400, /__expires/);
      expectErrors(await subject.update('k', { set: { __expires: expires } }), 400, /__expires/);
    }
    expectErrors(await subject.update('k', { increment: { __expires: 0.5 } }), 400, /__expires/);
    expectErrors(await subject.update('k', { append: { __expires: [1] } }), 400, /__expires/);
    expectJson(await subject.get('k'), 200, { key: 'k', a: 1 });
  });

  test('a nested `__expires` is an ordinary attribute', async () => {
    const subject = base();
    const item = { key: 'k', a: { __expires: 'text' }, l: [{ __expires: 1 }] };
    expectStatus(await subject.put(item), 207);
    expectJson(await subject.get('k'), 200, item);
  });
});
