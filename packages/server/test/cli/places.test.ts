import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, rm, truncate } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { identityBlob } from '../../src/store/identity.js';
import { type RunningServer, run, startServer, temporaryFolder } from '../support/run-cli.js';

const key = 'demo_s3cret';
const bytes = Buffer.alloc(300_000, 'x');

function send(server: RunningServer, method: string, path: string, body?: Buffer): Promise<Response> {
  return fetch(`${server.url}/v1/demo/${path}`, {
    method,
    headers: { 'X-API-Key': key },
    body: body ?? null,
  });
}

test('with --blobs, bytes are stored in that folder, rows in the data folder, and check reads both', async (context) => {
  const parent = await temporaryFolder(context);
  const [data, blobs] = [join(parent, 'data'), join(parent, 'blobs')];
  const places = ['--data', data, '--blobs', blobs];
  const server = await startServer(context, [...places, '--key', key]);
  assert.match(server.err(), /^Data is stored in \S+\/data\/rows \(rows\) and \S+\/blobs \(bytes\)$/m);
  assert.equal((await send(server, 'POST', 'drive/files?name=a', bytes)).status, 201);
  assert.deepEqual((await readdir(data)).sort(), ['FORMAT', 'IDENTITY', 'api.sock', 'control.sock', 'rows']);
  for (const _ of ['beside the server', 'alone']) {
    const { code, out } = await run(['check', '--json', ...places]);
    assert.equal(code, 0, out);
    assert.equal(JSON.parse(out).bytes, bytes.length);
    await server.stop();
  }
  const again = await startServer(context, [...places, '--key', key]);
  const read = await send(again, 'GET', 'drive/files/download?name=a');
  assert.ok(Buffer.from(await read.arrayBuffer()).equals(bytes));
});

test('bytes of other rows are refused, so that none is taken for an orphan', async (context) => {
  const parent = await temporaryFolder(context);
  const blobs = join(parent, 'blobs');
  const server = await startServer(context, ['--data', join(parent, 'a'), '--blobs', blobs, '--key', key]);
  await server.stop();
  const wrong = ['--data', join(parent, 'b'), '--blobs', blobs];
  const started = await run(['--port', '0', ...wrong]);
  assert.equal(started.code, 2);
  assert.match(started.err, /^basedrive: The bytes in \S+ belong to other rows: [^\n]+\n$/);
  const checked = await run(['check', '--repair', ...wrong]);
  assert.equal(checked.code, 2);
  assert.match(checked.err, /^basedrive: There are no rows in \S+\n$/);
});

test('bytes that nobody claims and no row names are refused, with what to do', async (context) => {
  const parent = await temporaryFolder(context);
  const blobs = join(parent, 'blobs');
  const flags = ['--data', join(parent, 'a'), '--blobs', blobs, '--key', key];
  const server = await startServer(context, flags);
  assert.equal((await send(server, 'POST', 'drive/files?name=a', bytes)).status, 201);
  await server.stop();
  await rm(join(blobs, 'ff', identityBlob));
  const wrong = await run(['--port', '0', '--data', join(parent, 'b'), '--blobs', blobs]);
  assert.equal(wrong.code, 2);
  assert.match(
    wrong.err,
    /^basedrive: The bytes in \S+ belong to other rows: .*no blob there says whose they are/,
  );
  assert.ok(!wrong.err.includes(identityBlob));
  // Those that name them claim them again.
  const again = await startServer(context, flags);
  const read = await send(again, 'GET', 'drive/files/download?name=a');
  assert.ok(Buffer.from(await read.arrayBuffer()).equals(bytes));
});

test('a store whose log was emptied has no rows, and is not called that of other rows', async (context) => {
  const data = join(await temporaryFolder(context), 'data');
  const server = await startServer(context, ['--data', data, '--key', key]);
  assert.equal((await send(server, 'POST', 'drive/files?name=a', bytes)).status, 201);
  await server.stop('SIGKILL');
  const rows = join(data, 'rows');
  for (const name of await readdir(rows)) if (name.endsWith('.log')) await truncate(join(rows, name));
  for (const _ of ['once', 'again']) {
    const { code, err } = await run(['--port', '0', '--data', data]);
    assert.equal(code, 2);
    assert.match(
      err,
      /^basedrive: The rows of the store in \S+ are missing: \S+ has none\. Mount or restore/,
    );
  }
  // Of rows that were damaged in part, only the identity may be lost.
  const accepted = await run(['--port', '0', '--data', data, '--accept-damaged-rows']);
  assert.match(accepted.err, /belong to other rows/);
});

test('a folder for bytes that cannot be created ends with one line and exit code 2', async (context) => {
  const data = await temporaryFolder(context);
  const { code, err } = await run(['--port', '0', '--data', data, '--blobs', '/proc/basedrive']);
  assert.equal(code, 2);
  assert.match(err, /^basedrive: The bytes in \/proc\/basedrive cannot be opened: [^\n]+\n$/);
});

test('--memory with a database is refused, and a password is not repeated', async () => {
  const { code, err } = await run(['--memory', '--items', 'postgres://user:s3cret@127.0.0.1/x']);
  assert.equal(code, 2);
  assert.match(err, /^basedrive: --memory: [^\n]+\n$/);
  for (const items of ['mysql://user:s3cret@127.0.0.1/x', 'postgres//user:s3cret']) {
    const wrong = await run(['--items', items]);
    assert.equal(wrong.code, 2);
    assert.match(wrong.err, /^basedrive: --items: must be postgres:[^\n]+\n$/);
    assert.ok(!wrong.err.includes('s3cret'));
  }
});

test('a database that is down, or never answers, ends with one line and exit code 2, without the password', async (context) => {
  const silent = createServer();
  context.after(() => silent.close());
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const away = createServer().listen(0, '127.0.0.1');
  await once(away, 'listening');
  const { port: closedPort } = away.address() as AddressInfo;
  await new Promise((resolve) => away.close(resolve));
  const data = join(await temporaryFolder(context), 'data');
  for (const port of [closedPort, (silent.address() as AddressInfo).port]) {
    const items = `postgres://user:s3cret@127.0.0.1:${port}/x`;
    const places = ['--items', items, '--blobs', join(data, 'blobs'), '--data', data];
    const commands = [
      ['--port', '0', ...places],
      ['migrate', '--items', items],
      ['keys', 'list', '--items', items],
    ];
    for (const { code, err } of await Promise.all(commands.map((command) => run(command)))) {
      assert.equal(code, 2, err);
      assert.match(
        err,
        /^basedrive: The rows in postgres:\/\/127\.0\.0\.1:\d+\/x cannot be opened: [^\n]+\n$/,
      );
      assert.ok(!err.includes('s3cret'));
    }
  }
  assert.ok(!existsSync(data));
});

test('migrate says that rows in a data folder need no migration', async (context) => {
  const data = join(await temporaryFolder(context), 'data');
  const { code, out } = await run(['migrate', '--data', data]);
  assert.deepEqual(
    { code, out },
    { code: 0, out: 'Rows in a data folder need no migration: nothing to do\n' },
  );
  assert.ok(!existsSync(data));
});

test('the help of a command lists the settings of the engines that it uses', async () => {
  assert.match((await run(['keys', 'list', '--help'])).out, /--items <url>/);
  assert.match((await run(['check', '--help'])).out, /--blobs <url>/);
});
