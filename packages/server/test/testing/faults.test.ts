import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { WrongValue } from '../../src/config/values.js';
import { type Fault, startTestServer } from '../../src/testing/index.js';
import { requestsTo } from '../support/test-requests.js';

async function start(context: TestContext) {
  const server = await startTestServer();
  context.after(() => server.stop());
  return { ...server, ...requestsTo(server) };
}

const item = { items: [{ key: 'ada' }] };

test('a status is answered as often as it is to be, and the service does not see the request', async (context) => {
  const { send, status, control } = await start(context);
  control.faults([{ method: 'PUT', path: '/v1/*/users/*', status: 503, times: 2 }]);
  for (const expected of [503, 503]) {
    const answer = await send('PUT', '/users/items', item);
    assert.equal(answer.status, expected);
    assert.equal(answer.headers.get('retry-after'), '1');
    assert.deepEqual(Object.keys((await answer.json()) as object), ['errors', 'codes']);
    assert.equal(await status('/users/items/ada'), 404);
  }
  assert.equal((await send('PUT', '/users/items', item)).status, 207);
});

test('a rule hits its method and its path only, the first rule that fits counts, and a new list replaces the old', async (context) => {
  const { send, status, control } = await start(context);
  control.faults([
    { method: 'get', path: '/v1/test/a/items/k+', status: 500 },
    { path: '/v1/test/a/*', status: 418 },
  ]);
  assert.equal(await status('/a/items/k+'), 500);
  assert.equal(await status('/a/items/kk'), 418);
  assert.equal((await send('POST', '/a/query', {})).status, 418);
  assert.equal(await status('/b/items/k'), 404);
  assert.equal(await status('/b/items/v1/test/a/'), 404);
  control.faults([]);
  assert.equal(await status('/a/items/kk'), 404);
});

test('a connection is cut at the request, before anything is done, or at the answer, when it is done', async (context) => {
  const { send, status, control } = await start(context);
  control.faults([{ method: 'PUT', cut: 'request' }]);
  await assert.rejects(send('PUT', '/users/items', item));
  assert.equal(await status('/users/items/ada'), 404);
  control.faults([{ method: 'PUT', cut: 'answer', times: 1 }]);
  await assert.rejects(send('PUT', '/users/items', item));
  assert.equal(await status('/users/items/ada'), 200);
  assert.equal((await send('PUT', '/users/items', item)).status, 207);
});

test('a latency lets other requests be answered first, and comes before a status and a cut', async (context) => {
  const { status, control, send } = await start(context);
  control.faults([
    { path: '*/slow', latency: '300ms', times: 1 },
    { path: '*/failing', latency: '300ms', status: 503 },
  ]);
  const order: string[] = [];
  const note = (name: string) => (code: number) => order.push(`${name} ${code}`);
  await Promise.all([
    status('/a/items/slow').then(note('slow')),
    status('/a/items/failing').then(note('failing')),
    (async () => {
      for (let n = 0; n < 3; n++) await status('/a/items/fast').then(note('fast'));
    })(),
  ]);
  assert.deepEqual(order.slice(0, 3), ['fast 404', 'fast 404', 'fast 404']);
  assert.deepEqual(order.slice(3).sort(), ['failing 503', 'slow 404']);
  assert.equal((await send('GET', '/a/items/slow')).status, 404);
});

test('a fault that is not valid is refused with its rule, and the faults before it stay', async (context) => {
  const { control, status } = await start(context);
  control.faults([{ path: '*/a', status: 503 }]);
  const wrong: readonly unknown[] = [
    {},
    { status: 200 },
    { status: '503' },
    { cut: 'middle' },
    { status: 503, cut: 'request' },
    { status: 503, cut: 'answer' },
    { latency: '5' },
    { status: 503, times: 0 },
    { status: 503, path: 1 },
    { status: 503, probability: 0.5 },
    null,
  ];
  for (const fault of wrong)
    assert.throws(() => control.faults([fault as Fault]), WrongValue, JSON.stringify(fault));
  assert.throws(() => control.faults({} as never), WrongValue);
  assert.equal(await status('/a/items/a'), 503);
});
