import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startPostgres, type TestPostgres } from 'basedrive-acceptance/services/postgres.js';
import { startS3, type TestS3 } from 'basedrive-acceptance/services/s3.js';
import { bytesOfFile, startMovingClient } from '../../../support/moving-client.js';
import { run, startServer, temporaryFolder } from '../../../support/run-cli.js';
import {
  contentOf,
  copyJson,
  filledFolder,
  fillServer,
  key,
  mib,
  send,
} from '../../../support/served-copy.js';

const main = fileURLToPath(new URL('../../../../src/main.js', import.meta.url));

let postgres: TestPostgres;
let s3: TestS3;
let databases = 0;

before(async () => {
  [postgres, s3] = await Promise.all([startPostgres(), startS3()]);
});
after(async () => {
  await Promise.all([postgres.stop(), s3.stop()]);
});

/** An empty database with tables, and an empty bucket: first the rows, then the bytes. */
async function newPair(): Promise<[string, string]> {
  const items = await postgres.createDatabase(`moving${++databases}`);
  assert.equal((await run(['migrate', '--items', items])).code, 0);
  return [items, `s3://${await s3.createBucket()}/some/prefix`];
}

test('a served folder is copied to PostgreSQL and S3 in three steps, and back, with every row and every byte', async (context) => {
  const folder = await temporaryFolder(context);
  const [items, blobs] = await newPair();
  // The server has no credentials of the store: the command gives them.
  const server = await startServer(context, ['--data', folder, '--key', key]);
  await fillServer(server);
  const there = ['--from', folder, '--to', items, blobs];
  const first = await copyJson(there, s3.environment());
  assert.equal(first.code, 0, JSON.stringify(first.problems));
  assert.equal(first.blobsCopied, 3);
  await send(server, 'POST', 'drive/files?name=large', Buffer.alloc(400_000, 'n'));
  await send(server, 'DELETE', 'drive/files', '{"names":["small"]}');
  const second = await copyJson(there, s3.environment());
  assert.deepEqual([second.code, second.blobsCopied], [0, 1]);
  assert.equal(await server.stop(), 0);
  const last = await copyJson([...there, '--verify'], s3.environment());
  assert.deepEqual([last.code, last.blobsVerified, last.blobsMended], [0, 3, 0]);
  const places = ['--items', items, '--blobs', blobs];
  assert.equal((await run(['check', ...places], s3.environment())).code, 0);

  const scaled = await startServer(context, [...places, '--key', key], s3.environment());
  const joined = await fetch(`${scaled.url}/v1/demo/drive/files/download?name=joined`, {
    headers: { 'X-API-Key': key },
  });
  assert.equal((await joined.arrayBuffer()).byteLength, 5 * mib + 4);

  const late = await run(['copy', ...there], s3.environment());
  assert.equal(late.code, 2);
  assert.match(late.err, /^basedrive: A server runs on the destination[^\n]*\n$/);

  const back = await temporaryFolder(context);
  const home = ['--from', items, blobs, '--to', back];
  assert.equal((await copyJson(home, s3.environment())).code, 0);
  assert.equal(await scaled.stop(), 0);
  assert.equal((await copyJson([...home, '--verify'], s3.environment())).code, 0);
  assert.deepEqual(await contentOf(back), await contentOf(folder));

  const taken = await run(['copy', ...there], s3.environment());
  assert.equal(taken.code, 2);
  assert.match(taken.err, /a server was started on it since it was copied/);
});

test('files that are moved while they are copied have one name each, to PostgreSQL and S3 and back', async (context) => {
  const folder = await temporaryFolder(context);
  const [items, blobs] = await newPair();
  const places = ['--items', items, '--blobs', blobs];
  const back = await temporaryFolder(context);
  const variables = s3.environment();
  const there = ['--from', folder, '--to', items, blobs];
  const home = ['--from', items, blobs, '--to', back];
  let names: readonly string[] = [];
  for (const [options, command, check] of [
    [['--data', folder], there, places],
    [[...places, '--garbage-grace', '1h'], home, ['--data', back]],
  ] as const) {
    const server = await startServer(context, [...options, '--key', key], variables);
    const client = await startMovingClient(server);
    for (let copies = 0; copies < 2; copies++) {
      const report = await copyJson(command, variables);
      assert.equal(report.code, 0, JSON.stringify(report.problems));
      const checked = await run(['check', ...check], variables);
      assert.equal(checked.code, 0, checked.out);
    }
    names = await client.stop();
    assert.ok(client.rounds() > 0);
    assert.equal(await server.stop(), 0);
    const last = await copyJson([...command, '--verify'], variables);
    assert.deepEqual([last.code, last.blobsMended], [0, 0], JSON.stringify(last.problems));
    const checked = await run(['check', ...check], variables);
    assert.equal(checked.code, 0, checked.out);
  }
  const server = await startServer(context, ['--data', back, '--key', key]);
  await send(server, 'DELETE', 'drive/files', JSON.stringify({ names: names.slice(0, 30) }));
  for (const name of names.slice(30)) {
    const headers = { 'X-API-Key': key };
    const answer = await fetch(`${server.url}/v1/demo/drive/files/download?name=${name}`, { headers });
    assert.deepEqual(Buffer.from(await answer.arrayBuffer()), bytesOfFile(name));
  }
});

test('a copy that is killed continues when it is run again, and ends equal', async (context) => {
  const folder = await filledFolder(context);
  const [items, blobs] = await newPair();
  const there = ['--from', folder, '--to', items, blobs];
  const variables = { PATH: process.env.PATH, ...s3.environment() };
  const child = spawn(process.execPath, [main, 'copy', ...there], {
    env: variables,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  let said = '';
  for await (const chunk of child.stderr) {
    said += chunk;
    if (said.includes('Copying')) break;
  }
  child.kill('SIGKILL');
  const [, signal] = await ended;
  assert.equal(signal, 'SIGKILL', said);
  const refused = await run(['--items', items, '--blobs', blobs, '--port', '0'], variables);
  assert.equal(refused.code, 2);
  assert.match(refused.err, /^basedrive: These rows are a copy that did not complete[^\n]*\n$/);
  const report = await copyJson([...there, '--verify'], variables);
  assert.equal(report.code, 0, JSON.stringify(report.problems));
  const back = await temporaryFolder(context);
  assert.equal((await copyJson(['--from', items, blobs, '--to', back], variables)).code, 0);
  assert.deepEqual(await contentOf(back), await contentOf(folder));
});

test('one half is copied at a time: bytes to S3 first, rows to PostgreSQL later', async (context) => {
  const folder = await filledFolder(context);
  const [items, blobs] = await newPair();
  const rows = await temporaryFolder(context);
  const half = `s3://${await s3.createBucket()}`;
  assert.equal((await copyJson(['--from', folder, '--to', rows, half], s3.environment())).code, 0);
  const whole = await copyJson(['--from', rows, half, '--to', items, blobs], s3.environment());
  assert.equal(whole.code, 0);
  const same = await run(['copy', '--from', rows, half, '--to', items, half], s3.environment());
  assert.equal(same.code, 2);
  assert.match(same.err, /the same bytes/);
  const back = await temporaryFolder(context);
  assert.equal((await copyJson(['--from', items, blobs, '--to', back], s3.environment())).code, 0);
  assert.deepEqual(await contentOf(back), await contentOf(folder));
});

test('a store that cannot be reached is reported in one line', async (context) => {
  const folder = await filledFolder(context);
  const [items, blobs] = await newPair();
  const away = { ...s3.environment(), BASEDRIVE_S3_ENDPOINT: 'http://127.0.0.1:1' };
  const { code, err } = await run(['copy', '--from', folder, '--to', items, blobs], away);
  assert.equal(code, 2);
  assert.match(err, /^basedrive: The bytes in s3:\S+ cannot be opened: [^\n]+\n$/);
});
