import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { type ParsedBody, parsedBodies } from '../../../src/abuse/parsed-bodies.js';
import { createApi } from '../../../src/api.js';
import { freshBase } from '../../../src/names.js';
import { ownKey, ownOtherKey } from '../../../src/target.js';
import { patienceMs, sendAtOnce, withHeap } from '../../support/small-heap.js';

function bodyOf(name: string): ParsedBody {
  const body = parsedBodies.find((one) => one.name === name);
  assert.ok(body, name);
  return body;
}

test('bodies that become large, sent at once, do not end a server with a heap of 512 MiB', async () => {
  await withHeap(512, async ({ bodies }) => {
    for (const name of ['Query Items', 'Transactions']) await sendAtOnce(bodies, bodyOf(name), 28);
  });
});

test('clients that send such a body and leave, one after the other, do not end it', async () => {
  await withHeap(256, async ({ api, bodies }) => {
    const { hostname: host, port } = api.target.url;
    const body = bodyOf('Query Items').body;
    const { root } = freshBase(api);
    const head = [
      `POST ${root}/query HTTP/1.1`,
      'Host: x',
      `X-API-Key: ${ownKey}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ];
    for (let client = 0; client < 60; client++) {
      const socket = connect({ host, port: Number(port) });
      socket.on('error', () => {});
      socket.write(`${head.join('\r\n')}\r\n\r\n`);
      await new Promise((resolve) => socket.write(body, resolve));
      // The server has read it by the time when it has answered others.
      for (let n = 0; n < 3; n++) await api.send('GET', `${root}/items/k`);
      socket.destroy();
      await once(socket, 'close');
    }
    await sendAtOnce(bodies, bodyOf('Query Items'), 1);
  });
});

test('a project whose clients send many such bodies keeps no other waiting', async (context: TestContext) => {
  await withHeap(256, async ({ api, bodies }) => {
    const other = createApi({ ...api.target, key: ownOtherKey, project: 'other' }, patienceMs);
    const large = bodyOf('Query Items');
    let answered = 0;
    let isOver = false;
    // As one is answered, the next one comes: so 24 of them always wait.
    const flood = Array.from({ length: 24 }, async () => {
      while (!isOver) {
        await bodies.send(large);
        answered++;
      }
    });
    try {
      while (answered === 0) await new Promise((resolve) => setImmediate(resolve));
      const beforeSmall = answered;
      const { root } = freshBase(other);
      const small = await other.send('POST', `${root}/query`, { json: { query: { a: 1 } } });
      assert.equal(small.status, 200);
      const beforeLarge = answered;
      const reply = await other.send('POST', `${root}/query`, { body: large.body, type: 'application/json' });
      assert.equal(reply.status, 200);
      const passed = { small: beforeLarge - beforeSmall, large: answered - beforeLarge };
      context.diagnostic(`answered meanwhile: ${JSON.stringify(passed)}`);
      assert.ok(passed.small <= 2, 'a small body waits for no large one');
      assert.ok(passed.large <= 12, 'a large body waits for few of another project');
    } finally {
      isOver = true;
      await Promise.all(flood);
      other.close();
    }
  });
});
