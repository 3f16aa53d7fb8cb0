import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { startPostgres, type TestPostgres } from 'basedrive-acceptance/services/postgres.js';
import { freshDatabase } from '../../support/postgres-databases.js';
import { type RunningServer, startServer, temporaryFolder } from '../../support/run-cli.js';
import { key, send } from '../../support/served-copy.js';

let postgres: TestPostgres;

before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

/** Two servers over one database. */
async function startTwo(context: TestContext): Promise<readonly [RunningServer, RunningServer]> {
  const { url } = await freshDatabase(postgres);
  const folder = await temporaryFolder(context);
  const places = ['--items', url, '--blobs', join(folder, 'blobs'), '--data', join(folder, 'data')];
  const start = () => startServer(context, [...places, '--key', key]);
  return [await start(), await start()];
}

/** A connection that a server has accepted: it has answered a request on it. */
async function openConnection(server: RunningServer): Promise<Socket> {
  const socket = connect(server.port, '127.0.0.1').setEncoding('latin1');
  socket.write('GET /health HTTP/1.1\r\nHost: test\r\n\r\n');
  await once(socket, 'data');
  return socket;
}

async function nextStatus(socket: Socket): Promise<string> {
  const [answer] = await once(socket, 'data');
  return String(answer).slice(9, 12);
}

/** The status of the last answer. */
async function statusOf(socket: Socket): Promise<string> {
  const status = await nextStatus(socket);
  socket.destroy();
  return status;
}

for (const access of ['full', 'read']) {
  test(`a server that was stopped does not accept a key (${access}) that was revoked meanwhile`, async (context) => {
    const [stopped, other] = await startTwo(context);
    await send(other, 'PUT', 'base/items', '{"items":[{"key":"k"}]}');
    const made: unknown = await send(stopped, 'POST', 'keys', JSON.stringify({ access }));
    const { id, key: given } = made as { readonly id: string; readonly key: string };
    const request = (apiKey: string) =>
      `GET /v1/demo/base/items/k HTTP/1.1\r\nHost: test\r\nX-API-Key: ${apiKey}\r\n\r\n`;
    const [known, revoked, valid] = await Promise.all(
      Array.from({ length: 3 }, () => openConnection(stopped)),
    );
    known?.write(request(given));
    assert.equal(await statusOf(known as Socket), '200');
    stopped.child.kill('SIGSTOP');
    try {
      await send(other, 'DELETE', `keys?id=${id}`);
      // The two seconds within which servers refuse it.
      await wait(2000);
      revoked?.write(request(given));
      valid?.write(request(key));
    } finally {
      stopped.child.kill('SIGCONT');
    }
    const answers = await Promise.all([statusOf(revoked as Socket), statusOf(valid as Socket)]);
    assert.deepEqual(answers, ['401', '200']);
  });
}

test('nor does it store items of a request whose body came after the key was revoked', async (context) => {
  const [stopped, other] = await startTwo(context);
  const made: unknown = await send(stopped, 'POST', 'keys', '{"access":"full"}');
  const { id, key: given } = made as { readonly id: string; readonly key: string };
  const socket = await openConnection(stopped);
  const body = '{"items":[{"key":"late"}]}';
  const head = ['PUT /v1/demo/base/items HTTP/1.1', 'Host: test', `X-API-Key: ${given}`];
  head.push('Content-Type: application/json', `Content-Length: ${body.length}`, 'Expect: 100-continue');
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  // The server has accepted the key when it asks for the body.
  assert.equal(await nextStatus(socket), '100');
  stopped.child.kill('SIGSTOP');
  try {
    await send(other, 'DELETE', `keys?id=${id}`);
    await wait(2000);
    socket.write(body);
  } finally {
    stopped.child.kill('SIGCONT');
  }
  assert.equal(await statusOf(socket), '401');
  const found = await fetch(`${other.url}/v1/demo/base/items/late`, { headers: { 'X-API-Key': key } });
  assert.equal(found.status, 404);
});
