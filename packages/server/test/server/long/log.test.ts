import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { logFormatFor } from '../../../src/cli/commands/serve.js';
import { type RunningServer, run, startServer, temporaryFolder } from '../../support/run-cli.js';

interface Line {
  readonly msg: string;
  readonly time: string;
  readonly [field: string]: unknown;
}

/** The log lines with one of these messages; all of them when none is given. */
function logLines(server: RunningServer, ...messages: string[]): Line[] {
  const lines = server.out().trimEnd().split('\n');
  return lines
    .map((line) => JSON.parse(line) as Line)
    .filter(({ msg }) => messages.length === 0 || messages.includes(msg));
}

test('the log has one JSON line a request, written at the end at the latest, without keys and bodies', async (context) => {
  const server = await startServer(context, ['--memory', '--key', 'demo_s3cret']);
  const headers = { 'X-API-Key': 'demo_s3cret', 'Content-Type': 'application/json' };
  const body = JSON.stringify({ items: [{ key: 'a', text: 'b0dy' }] });
  const put = await fetch(`${server.url}/v1/demo/base/items`, { method: 'PUT', headers, body });
  assert.equal(put.status, 207);
  await put.arrayBuffer();
  const wrong = await fetch(`${server.url}/v1/demo/base/items/a`, { headers: { 'X-API-Key': 'demo_wr0ng' } });
  await wrong.arrayBuffer();
  assert.equal(await server.stop(), 0);

  const lines = logLines(server, 'request');
  assert.equal(lines.length, 2);
  const [line, refused] = lines as [Line, Line];
  assert.equal(line.requestId, put.headers.get('x-request-id'));
  assert.deepEqual([line.method, line.status, line.project], ['PUT', 207, 'demo']);
  assert.ok(Number(line.durationMs) >= 0 && Number(line.bytes) > 0 && !Number.isNaN(Date.parse(line.time)));
  // It is the same for every request with the key, and `keys list` shows it.
  assert.match(String(line.keyId), /^operator-[0-9a-f]{12}$/);
  assert.equal(refused.status, 401);
  assert.ok(!('keyId' in refused));
  for (const secret of ['s3cret', 'wr0ng', 'b0dy']) assert.ok(!server.out().includes(secret), secret);
});

test('the log level decides which lines are written', async (context) => {
  const server = await startServer(context, ['--memory', '--key', 'demo_s3cret', '--log-level', 'error']);
  await (await fetch(`${server.url}/health`)).arrayBuffer();
  assert.equal(await server.stop(), 0);
  assert.equal(server.out(), '');
});

test('a line is written within a second while the server runs', async (context) => {
  const server = await startServer(context, ['--memory', '--key', 'demo_s3cret']);
  await (await fetch(`${server.url}/health`)).arrayBuffer();
  while (!server.out().includes('"route":"/health"')) {
    await new Promise((resolve) => server.child.stdout?.once('data', resolve));
  }
});

test('the start with version, address and store, and the stop are logged', async (context) => {
  const folder = await temporaryFolder(context);
  const server = await startServer(context, ['--data', folder, '--key', 'demo_s3cret']);
  assert.equal(await server.stop(), 0);
  const lines = logLines(server);
  assert.deepEqual(
    lines.map(({ msg }) => msg),
    ['started', 'stopping', 'stopped'],
  );
  const [started, stopping] = lines as [Line, Line];
  assert.match(String(started.version), /^\d+\.\d+\.\d+$/);
  assert.equal(started.address, server.url);
  assert.match(String(started.store), new RegExp(`${folder}$`));
  assert.deepEqual([stopping.signal, stopping.requestsInFlight], ['SIGTERM', 0]);
  assert.ok(!server.out().includes('s3cret'));
});

test('keys that are created and revoked are logged with id and project, never the key itself', async (context) => {
  const folder = await temporaryFolder(context);
  const server = await startServer(context, ['--data', folder]);
  await server.said(/A first key/);
  const created = await run(['keys', 'create', 'demo', '--json', '--data', folder]);
  const { id, key } = JSON.parse(created.out) as { id: string; key: string };
  assert.equal((await run(['keys', 'revoke', id, '--data', folder])).code, 0);
  assert.equal(await server.stop(), 0);
  const changes = logLines(server, 'key created', 'key revoked');
  assert.deepEqual(
    changes.map(({ msg, keyId }) => [msg, keyId]),
    [
      ['key created', 'first'],
      ['key created', id],
      ['key revoked', id],
    ],
  );
  assert.deepEqual([changes[1]?.project, changes[2]?.project], ['demo', 'demo']);
  for (const secret of [key.split('_')[1], /_(\w{32})$/m.exec(server.err())?.[1]]) {
    assert.ok(secret !== undefined && !server.out().includes(secret));
  }
});

test('--log-format pretty writes short lines for people, without colours if there is no terminal', async (context) => {
  const options = ['--memory', '--key', 'demo_s3cret', '--log-format', 'pretty'];
  const server = await startServer(context, options);
  const answer = await fetch(`${server.url}/v1/demo/base/items/a`, {
    headers: { 'X-API-Key': 'demo_s3cret', 'X-Request-Id': 'one' },
  });
  assert.equal(answer.status, 404);
  await answer.arrayBuffer();
  assert.equal(await server.stop(), 0);
  const lines = server.out().trimEnd().split('\n');
  assert.match(
    lines[0] ?? '',
    /^\[\d\d:\d\d:\d\d\] INFO: started version=\S+ address=http:\S+ store="memory \(lost when the server stops\)"$/,
  );
  assert.match(
    lines[1] ?? '',
    /^\[\d\d:\d\d:\d\d\] INFO: GET \/v1\/:project\/:name\/items\/:key 404 \d+(\.\d+)? ms \d+ B project=demo keyId=operator-\w+ requestId=one$/,
  );
});

test('--log-format pretty shows the cause of a failure, at the level debug with its stack', async (context) => {
  for (const [level, cause] of [
    [
      'info',
      /^\[[\d:]+\] ERROR: .* err="StorageUnavailable: [^"]+" cause="Error: ENOENT: [^"]+\[path\]" route=\S+ requestId=\S+$/m,
    ],
    ['debug', /^ +at \S/m],
  ] as const) {
    const { server } = await failingServer(context, '--log-level', level, '--log-format', 'pretty');
    assert.match(server.out(), cause);
  }
});

test('--log-format auto is pretty on a terminal and JSON elsewhere', () => {
  assert.equal(logFormatFor('auto', true), 'pretty');
  assert.equal(logFormatFor('auto', false), 'json');
  assert.equal(logFormatFor('json', true), 'json');
  assert.equal(logFormatFor('pretty', false), 'pretty');
});

test('without a terminal the log is JSON; an unknown --log-format is refused', async (context) => {
  const server = await startServer(context, ['--memory', '--key', 'demo_s3cret', '--log-format', 'auto']);
  assert.equal(await server.stop(), 0);
  assert.equal(logLines(server).length, 3);
  const { code, err } = await run(['--memory', '--log-format', 'xml']);
  assert.equal(code, 2);
  assert.match(err, /--log-format xml: must be one of auto, pretty, json/);
});

/** A stopped server whose blobs were taken away, and the id of the request that failed because of that. */
async function failingServer(context: TestContext, ...options: string[]) {
  const folder = await temporaryFolder(context);
  const key = 'demo_s3cret';
  const server = await startServer(context, ['--data', folder, '--key', key, ...options]);
  const headers = { 'X-API-Key': key };
  const file = `${server.url}/v1/demo/drive/files?name=nameOfFile`;
  const put = await fetch(file, { method: 'POST', headers, body: Buffer.alloc(1_000_000) });
  assert.equal(put.status, 201);
  await rm(join(folder, 'blobs'), { recursive: true });
  const failed = await fetch(file.replace('files', 'files/download'), { headers });
  assert.equal(failed.status, 503);
  await failed.arrayBuffer();
  await server.stop();
  return { folder, server, requestId: failed.headers.get('x-request-id') };
}

async function logOfFailure(context: TestContext, level: string) {
  const { folder, server, requestId } = await failingServer(context, '--log-level', level);
  const lines = server
    .out()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter((line) => line.requestId === requestId && line.level >= 50);
  assert.equal(lines.length, 1);
  return { folder, line: lines[0], text: JSON.stringify(lines[0]) };
}

test('the line of a failure has the class, code and message of its cause, and no path and no stack trace', async (context) => {
  const { folder, line, text } = await logOfFailure(context, 'info');
  assert.equal(line.route, '/v1/:project/:name/files/download');
  assert.equal(line.err.type, 'StorageUnavailable');
  assert.deepEqual([line.err.cause.type, line.err.cause.code], ['Error', 'ENOENT']);
  assert.match(line.err.cause.message, /no such file or directory/);
  assert.ok(!text.includes(folder) && !text.includes('blobs/'), text);
  assert.doesNotMatch(text, /\bat .*\.js|node:|nameOfFile/);
});

test('at the level debug, the line of a failure has the path and the stack trace of its cause', async (context) => {
  const { folder, text } = await logOfFailure(context, 'debug');
  assert.ok(text.includes(folder) && /\bat /.test(text), text);
});
