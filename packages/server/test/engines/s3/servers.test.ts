import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { startOwnS3, type TestS3 } from 'basedrive-acceptance/services/s3.js';
import { openS3Client } from '../../../src/engines/s3/client.js';
import { s3Options } from '../../../src/engines/s3/options.js';
import { randomId } from '../../../src/lib/random-id.js';
import { identityBlob } from '../../../src/store/identity.js';
import { adminKeyFile, type Project, projectOn, reachedBy } from '../../support/quota-project.js';
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

test('while its bucket was emptied or is that of other rows, a server is not ready and stores no file, and recovers by itself', async (context) => {
  const { bucket } = s3Options(`s3://${await store.createBucket()}`, variables);
  const client = openS3Client(s3Options(`s3://${bucket}`, variables));
  context.after(() => client.destroy());
  const places = ['--data', await temporaryFolder(context), '--blobs', `s3://${bucket}`];
  const server = await startServer(context, [...places, '--key', key], variables);
  assert.equal((await send(server, 'POST', 'drive/files?name=a', bytes)).status, 201);
  const claim = { Bucket: bucket, Key: `ff/${identityBlob}` };
  const { Body } = await client.send(new GetObjectCommand(claim));
  const ours = Buffer.from((await Body?.transformToByteArray()) ?? []);
  const exchanges = [
    () => client.send(new DeleteObjectCommand(claim)),
    () => client.send(new PutObjectCommand({ ...claim, Body: randomId() })),
  ];
  for (const exchange of exchanges) {
    await exchange();
    await readyIs(server, 503);
    const { errors } = (await (await fetch(`${server.url}/ready`)).json()) as { readonly errors: string[] };
    assert.deepEqual(errors, ['Files cannot be stored: the blob store is not the one of these rows']);
    const put = await send(server, 'POST', 'drive/files?name=b', bytes);
    assert.equal(put.status, 503);
    assert.ok(put.headers.get('retry-after'));
    // It is in a row.
    assert.equal((await send(server, 'POST', 'drive/files?name=small', bytes.subarray(0, 100))).status, 201);
    while (!server.out().includes('so nothing is stored or deleted there')) await wait(20);
    await client.send(new PutObjectCommand({ ...claim, Body: ours }));
    await readyIs(server, 200);
    assert.equal((await send(server, 'POST', 'drive/files?name=b', bytes)).status, 201);
  }
});

test('a store that cannot be reached ends the start with one line', async (context) => {
  const data = await temporaryFolder(context);
  const away = { ...variables, BASEDRIVE_S3_ENDPOINT: 'http://127.0.0.1:1' };
  const { code, err } = await run(['--port', '0', '--data', data, '--blobs', 's3://bucket'], away);
  assert.equal(code, 2, err);
  assert.match(err, /^basedrive: [^\n]+\n$/);
});

/** Files in two drives, also large and overwritten ones, and parts of an open upload. */
async function fill({ send }: Project): Promise<void> {
  const part = 'x'.repeat(5 * 1024 * 1024);
  for (const drive of ['c', 'd']) {
    await send('PUT', `/${drive}/settings`, { trash: '30d' });
    for (let at = 0; at < 12; at++) {
      const name = `/${drive}/files?name=${at % 8}`;
      assert.equal((await send('POST', name, 'x'.repeat(bytes.length))).status, 201);
    }
    const opened = await send('POST', `/${drive}/uploads?name=u`);
    const { upload_id: id } = JSON.parse(opened.text) as { readonly upload_id: string };
    assert.equal((await send('POST', `/${drive}/uploads/${id}/parts?name=u&part=1`, part)).status, 200);
  }
}

test('a project is deleted with all of its bytes, however often the server and its store are killed meanwhile', async (context) => {
  const blobs = `s3://${await store.createBucket()}`;
  const options = s3Options(blobs, variables);
  const client = openS3Client(options);
  context.after(() => client.destroy());
  const count = async () =>
    (await client.send(new ListObjectsV2Command({ Bucket: options.bucket }))).KeyCount ?? 0;
  const places = ['--data', await temporaryFolder(context), '--blobs', blobs];
  const words = [...places, '--admin-key-file', await adminKeyFile(context), '--log-level', 'error'];
  let server = await startServer(context, words, variables);
  const other = await projectOn(server.url);
  await fill(other);
  const othersBlobs = await count();
  const usage = await other.usage();
  const shop = await projectOn(server.url, 'shop');
  await fill(shop);
  const all = await count();
  assert.ok(all >= 2 * othersBlobs - 1, `${all} objects`);

  // Bytes that are on their way when the server is killed.
  const arriving = shop.send('POST', '/d/files?name=late', 'x'.repeat(9 * 1024 * 1024));
  const deleted = await shop.delete();
  assert.equal(deleted.status, 202, deleted.text);
  let before = all;
  for (let kills = 0; ; kills++) {
    const known = await reachedBy(server.url, 'shop', shop.key);
    // The first time at once, then when something of it is gone.
    const isThere = async () => (await known.listing()).includes('"shop"');
    while (kills > 0 && (await isThere()) && (await count()) >= before) await nextTurn();
    if (kills > 0 && !(await isThere())) break;
    before = await count();
    await server.stop('SIGKILL');
    if (kills === 0) {
      await store.kill();
      await store.restart();
    }
    server = await startServer(context, words, variables);
  }
  await arriving;
  assert.equal((await shop.send('GET', '/d/files')).status, 0);
  await server.stop();
  const { code, out, err } = await run(['check', '--json', ...places], variables);
  const report = JSON.parse(out) as { readonly files: number; readonly problems: readonly object[] };
  // Nothing is left but bytes that were stored after the deletion; they are no one's, and the check says so.
  assert.equal(report.files, usage.files, out + err);
  assert.equal(code, report.problems.length === 0 ? 0 : 1);
  assert.equal((await count()) - report.problems.length, othersBlobs, out);
  if (report.problems.length > 0) {
    const repaired = await run(['check', '--repair', ...places], variables);
    assert.equal(await count(), othersBlobs, repaired.out + repaired.err);
  }
  server = await startServer(context, words, variables);
  const there = await reachedBy(server.url, other.name, other.key);
  assert.deepEqual(await there.usage(), usage);
  const read = await there.send('GET', '/d/files/download?name=3');
  assert.equal(read.text.length, bytes.length);
});
