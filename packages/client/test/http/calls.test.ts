import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, test } from 'node:test';
import { Basedrive, BasedriveError } from '../../src/in-node.js';
import { fakeService, json, silence } from '../support/fake-service.js';

const open = (url: string, options = {}) => Basedrive('demo_s3cret', { url, ...options });

describe('ending a call', { concurrency: true }, () => {
  test('a signal ends a call that waits for its answer, and the request with it', async (t) => {
    const controller = new AbortController();
    const { url, seen } = await fakeService(t, (response) => {
      response.on('close', () => gone());
      controller.abort(new Error('enough'));
    });
    let gone = () => {};
    const closed = new Promise<void>((resolve) => {
      gone = resolve;
    });
    await assert.rejects(
      open(url).Base('b').get('k', { signal: controller.signal }),
      (error: BasedriveError) => {
        assert.ok(error instanceof BasedriveError);
        assert.deepEqual([error.code, error.name, error.status], ['aborted', 'AbortError', 0]);
        assert.equal((error.cause as Error).message, 'enough');
        return true;
      },
    );
    await closed;
    assert.equal(seen.length, 1);
  });

  test('a call whose signal is already aborted sends nothing', async (t) => {
    const { url, seen } = await fakeService(t, json(200, {}));
    const { Base, Drive } = open(url);
    const options = { signal: AbortSignal.abort() };
    for (const call of [
      Base('b').put({}, 'k', options),
      Base('b').insert({}, 'k', options),
      Base('b').get('k', options),
      Base('b').delete('k', options),
      Base('b').putMany([{}], options),
      Base('b').putAll([{}], options),
      Base('b').update({ a: 1 }, 'k', options),
      Base('b').fetch({}, options),
      Base('b').items({}, options).next(),
      Drive('d').put('f', 'x', options),
      Drive('d').get('f', options),
      Drive('d').list(options),
      Drive('d').names(options).next(),
      Drive('d').delete('f', options),
      Drive('d').deleteMany(['f'], options),
    ]) {
      await assert.rejects(call, { code: 'aborted' });
    }
    assert.equal(seen.length, 0);
  });

  test('a signal ends a call in the pause before a repeat', async (t) => {
    const controller = new AbortController();
    const { url, seen } = await fakeService(t, (response, request) => {
      json(503, { errors: [] }, { 'Retry-After': '20' })(response, request);
      response.on('finish', () => setImmediate(() => controller.abort()));
    });
    await assert.rejects(open(url).Base('b').get('k', { signal: controller.signal }), { code: 'aborted' });
    assert.equal(seen.length, 1);
  });

  test('timeoutMs ends a call, and that of the call takes precedence over the general one', async (t) => {
    const { url } = await fakeService(t, silence);
    const { Base, Drive } = open(url, { timeoutMs: 20 });
    const calls = [Base('b').get('k'), Base('b').insert({}), Drive('d').list(), Drive('d').get('f')];
    const expected = { code: 'timeout', name: 'TimeoutError', message: /20 ms/ };
    await Promise.all(calls.map((call) => assert.rejects(call, expected)));
    await assert.rejects(Base('b').get('k', { timeoutMs: 10 }), { code: 'timeout', message: /10 ms/ });
    await assert.rejects(Drive('d').put('f', 'x', { timeoutMs: 10 }), { code: 'timeout', message: /10 ms/ });
  });

  test('a call that AbortSignal.timeout ends rejects with a TimeoutError, whose cause is the reason of the signal', async (t) => {
    const { url } = await fakeService(t, silence);
    const { Base, Drive } = open(url);
    const calls: ((options: { signal: AbortSignal }) => Promise<unknown>)[] = [
      (options) => Base('b').get('k', options),
      (options) => Base('b').putAll([{}], options),
      (options) => Drive('d').get('f', options),
      (options) => Drive('d').put('f', 'x', options),
      (options) => Drive('d').put('f', 'x', { signal: AbortSignal.any([options.signal]) }),
    ];
    for (const call of calls) {
      const signal = AbortSignal.timeout(10);
      await assert.rejects(call({ signal }), (error: BasedriveError) => {
        assert.ok(error instanceof BasedriveError);
        assert.deepEqual([error.code, error.name], ['timeout', 'TimeoutError']);
        assert.equal(error.cause, signal.reason);
        return true;
      });
    }
  });

  test('a timeoutMs that no timer can count sets no limit', async (t) => {
    const { url } = await fakeService(t, json(200, { key: 'k' }));
    const base = open(url).Base('b');
    assert.deepEqual(await base.get('k', { timeoutMs: Number.POSITIVE_INFINITY }), { key: 'k' });
    assert.deepEqual(await base.get('k', { timeoutMs: 2 ** 40 }), { key: 'k' });
  });

  test('timeoutMs includes the pauses before repeats', async (t) => {
    const { url, seen } = await fakeService(t, json(503, { errors: [] }, { 'Retry-After': '20' }));
    await assert.rejects(open(url).Base('b').get('k', { timeoutMs: 200 }), { code: 'timeout' });
    assert.ok(seen.length <= 1, 'the pause was not waited for');
  });

  test('a call that has ended leaves no listener on its signal', async (t) => {
    const { signal } = new AbortController();
    const { url } = await fakeService(t, json(200, { key: 'k' }));
    const { Base, Drive } = open(url);
    await Base('b').get('k', { signal });
    await (await Drive('d').get('f', { signal }))?.text();
    await (await Drive('d').get('f', { signal }))?.stream().cancel();
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });
});

describe('requests', { concurrency: true }, () => {
  test('a double of 17 digits is sent and read back digit by digit, also with the option bigint', async (t) => {
    const item = { key: 'k', sum: 0.1 + 0.2, large: 1.7976931348623157e308, small: -2.2250738585072014e-308 };
    for (const bigint of [false, true]) {
      const { url, seen } = await fakeService(t, (response, { text }) => {
        response.writeHead(207, { 'Content-Type': 'application/json' });
        response.end(`{"processed":${text}}`);
      });
      assert.deepEqual(await open(url, { bigint }).Base('b').put(item), item);
      assert.match(String(seen[0]?.text), /"sum":0\.30000000000000004,/);
    }
  });

  test('a query sends the operand null and leaves out an operand that is undefined', async (t) => {
    const { url, seen } = await fakeService(t, json(200, { paging: { size: 0 }, items: [] }));
    await open(url).Base('b').fetch({ parent: null, 'nick?ne': null, name: undefined });
    const { query } = JSON.parse(String(seen[0]?.text)) as { query: unknown };
    assert.deepEqual(query, [{ parent: null, 'nick?ne': null }]);
  });
});

describe('answers that do not come from the service', { concurrency: true }, () => {
  test('an HTML page in place of JSON is unexpected', async (t) => {
    const { url } = await fakeService(t, (response) => response.end('<html>'));
    await assert.rejects(open(url).Base('b').get('k'), { code: 'unexpected', message: /not JSON/ });
  });

  test('a 404 about the address is an error, and not a missing item or file', async (t) => {
    const { url } = await fakeService(
      t,
      json(404, { errors: ['Not found'] }),
      (response) => response.writeHead(404).end('<html>'),
      (response) => response.writeHead(404).end('<html>'),
      json(404, {}),
    );
    const { Base, Drive } = open(url);
    await assert.rejects(Base('b').get('k'), { code: 'not_found', message: 'Not found' });
    await assert.rejects(Base('b').get('k'), { status: 404 });
    await assert.rejects(Drive('d').get('f'), { status: 404 });
    await assert.rejects(Drive('d').get('f'), { status: 404 });
  });

  test('a redirect is not followed, because the key must not be sent elsewhere', async (t) => {
    const { url, seen } = await fakeService(t, (response) =>
      response.writeHead(301, { Location: '/elsewhere' }).end(),
    );
    await assert.rejects(open(url).Base('b').get('k'), { code: 'unexpected', status: 301 });
    assert.equal(seen.length, 1);
  });

  test('a 413 in HTML becomes an error with the message of the page', async (t) => {
    const { url } = await fakeService(t, (response) => {
      response.writeHead(413, { 'Content-Type': 'text/html' });
      response.end('<h1>413 - Request Entity Too Large</h1>');
    });
    const message = '413 - Request Entity Too Large';
    await assert.rejects(open(url).Drive('d').put('f', 'x'), { code: 'refused', status: 413, message });
  });
});
