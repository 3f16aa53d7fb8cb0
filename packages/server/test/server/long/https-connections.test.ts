import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { type RunningServer, startServer, temporaryFolder } from '../../support/run-cli.js';

const key = 'demo_s3cret';
const get = `GET /v1/demo/b/items/none HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`;
const body = '{"items":[{"key":"k"}]}';
const put = `PUT /v1/demo/b/items HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

/** A connection whose answers are awaited by their ends. */
async function open(server: RunningServer, context: TestContext, options: object) {
  const address = { port: server.port, host: '127.0.0.1', rejectUnauthorized: false };
  const socket: TLSSocket = connect({ ...address, ...options });
  context.after(() => socket.destroy());
  let received = '';
  socket.setEncoding('latin1').on('data', (text) => {
    received += text;
  });
  await once(socket, 'secureConnect');
  return {
    socket,
    async until(end: RegExp): Promise<string> {
      while (!end.test(received)) await once(socket, 'data');
      const found = received;
      received = '';
      return found;
    },
  };
}

for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
  const options = { minVersion: version, maxVersion: version, allowHalfOpen: true };

  test(`${version}: a client that ends its side gets the answer to its write`, async (context) => {
    const folder = await temporaryFolder(context);
    const server = await startServer(context, ['--data', folder, '--https', '--key', key]);
    for (let round = 0; round < 20; round++) {
      const { socket, until } = await open(server, context, options);
      const ended = once(socket, 'end');
      socket.end(put);
      assert.match(await until(/\}$/), /^HTTP\/1\.1 207 /);
      await ended;
    }
  });
}

const events = `GET /v1/demo/changes HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nAccept: text/event-stream\r\n`;

for (const [name, words, request, answer] of [
  ['that has not sent a request', [], '', /^/],
  ['that has sent a request', [], get, /"none"\}$/],
  ['that reads an endless answer', [], `${events}\r\n`, /^HTTP\/1\.1 200 /],
  // Node's parser takes a request with this field.
  ['that reads an endless answer of Node', [], `${events}TE: trailers\r\n\r\n`, /^HTTP\/1\.1 200 /],
  ['at a front', ['--workers', '1'], get, /"none"\}$/],
] as const) {
  test(`TLSv1.2: a client ${name} cannot negotiate again and again`, async (context) => {
    const server = await startServer(context, ['--memory', '--https', '--key', key, ...words]);
    const { socket, until } = await open(server, context, { maxVersion: 'TLSv1.2' });
    socket.on('error', () => {});
    if (request !== '') {
      socket.write(request);
      await until(answer);
    }
    const closed = once(socket, 'close');
    let times = 0;
    const again = () =>
      socket.renegotiate({ rejectUnauthorized: false }, (cause) => {
        if (!cause && ++times < 10) again();
      });
    again();
    await Promise.race([closed, wait(10_000, undefined, { ref: false })]);
    assert.ok(socket.destroyed, 'the connection has ended');
    assert.ok(times < 10, String(times));
  });
}

test('TLSv1.2: a connection goes on after its client has negotiated again', async (context) => {
  const server = await startServer(context, ['--memory', '--https', '--key', key]);
  const { socket, until } = await open(server, context, { maxVersion: 'TLSv1.2' });
  socket.write(get);
  await until(/"none"\}$/);
  await new Promise<void>((resolve, reject) => {
    socket.renegotiate({ rejectUnauthorized: false }, (cause) => (cause ? reject(cause) : resolve()));
  });
  socket.write(get);
  assert.match(await until(/"none"\}$/), /^HTTP\/1\.1 404 /);
});
