import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startOwnS3, type TestS3 } from 'basedrive-acceptance/services/s3.js';
import { type RunningServer, run, startServer, temporaryFolder } from '../../support/run-cli.js';

const key = 'demo_s3cret';
const bytes = Buffer.alloc(300_000, 'x');

let store: TestS3;
let variables: Readonly<Record<string, string>>;

before(async () => {
  store = await startOwnS3();
  variables = store.environment();
});
after(() => store.stop());

function send(server: RunningServer, method: string, path: string, body?: Buffer): Promise<Response> {
  return fetch(`${server.url}/v1/demo/${path}`, {
    method,
    headers: { 'X-API-Key': key },
    body: body ?? null,
  });
}

async function readyIs(server: RunningServer, status: number): Promise<void> {
  for (;;) {
    const answer = await fetch(`${server.url}/ready`);
    await answer.arrayBuffer();
    if (answer.status === status) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test('a server over LevelDB and S3 serves files, `check` passes, and another store is refused the same blobs', async (context) => {
  const parent = await temporaryFolder(context);
  const data = join(parent, 'data');
  const blobs = `s3://${await store.createBucket()}/a/prefix`;
  const places = ['--data', data, '--blobs', blobs];
  const server = await startServer(context, [...places, '--key', key], variables);
  assert.ok(server.err().includes(`${blobs} (bytes)`));
  assert.equal((await send(server, 'POST', 'drive/files?name=a', bytes)).status, 201);
  const read = await send(server, 'GET', 'drive/files/download?name=a');
  assert.ok(Buffer.from(await read.arrayBuffer()).equals(bytes));
  assert.deepEqual((await readdir(data)).sort(), ['FORMAT', 'IDENTITY', 'api.sock', 'control.sock', 'rows']);
  for (const _ of ['beside the server', 'alone']) {
    const { code, out, err } = await run(['check', '--json', ...places], variables);
    assert.equal(code, 0, out + err);
    assert.equal(JSON.parse(out).bytes, bytes.length);
    await server.stop();
  }
  const wrong = await run(['--port', '0', '--data', join(parent, 'other'), '--blobs', blobs], variables);
  assert.equal(wrong.code, 2);
  assert.match(wrong.err, /^basedrive: The bytes in s3:\S+ belong to other rows: [^\n]+\n$/);
});

test('while its store is down a server is not ready, serves items, answers 503 for files, and recovers by itself', async (context) => {
  const places = ['--data', await temporaryFolder(context), '--blobs', `s3://${await store.createBucket()}`];
  const server = await startServer(context, [...places, '--key', key], variables);
  assert.equal((await send(server, 'POST', 'drive/files?name=a', bytes)).status, 201);
  await store.kill();
  try {
    await readyIs(server, 503);
    const put = await send(server, 'POST', 'drive/files?name=b', bytes);
    assert.equal(put.status, 503);
    assert.ok(put.headers.get('retry-after'));
    assert.equal((await send(server, 'GET', 'base/items/none')).status, 404);
  } finally {
    await store.restart();
  }
  await readyIs(server, 200);
  const read = await send(server, 'GET', 'drive/files/download?name=a');
  assert.ok(Buffer.from(await read.arrayBuffer()).equals(bytes));
});

test('a store that cannot be reached ends the start with one line', async (context) => {
  const data = await temporaryFolder(context);
  const away = { ...variables, BASEDRIVE_S3_ENDPOINT: 'http://127.0.0.1:1' };
  const { code, err } = await run(['--port', '0', '--data', data, '--blobs', 's3://bucket'], away);
  assert.equal(code, 2, err);
  assert.match(err, /^basedrive: [^\n]+\n$/);
});
