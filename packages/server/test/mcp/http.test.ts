import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request as sendHttp } from 'node:http';
import { type TestContext, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { callsOf, key, startService } from '../support/mcp-session.js';
import { main, run } from '../support/run-cli.js';

interface Served {
  readonly url: URL;
  /** Sends a signal and gives the exit code. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
}

/** Runs the command with `--http` on a free port. */
async function serveHttp(context: TestContext, serverUrl: string, host = '127.0.0.1'): Promise<Served> {
  const child = spawn(process.execPath, [main, 'mcp', '--write', '--url', serverUrl, '--http', `${host}:0`], {
    env: { PATH: process.env.PATH, BASEDRIVE_KEY: key },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit') as Promise<[number | null]>;
  context.after(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  let err = '';
  for await (const chunk of child.stderr.setEncoding('utf8')) {
    err += chunk;
    const [, url] = / on (http:\S+)$/m.exec(err) ?? [];
    if (url === undefined) continue;
    child.stderr.resume();
    return {
      url: new URL(url),
      async stop(signal) {
        child.kill(signal);
        return (await ended)[0];
      },
    };
  }
  throw new Error(`The command ended: ${err}`);
}

async function connect(context: TestContext, url: URL, version?: string) {
  const negotiation = version === undefined ? {} : { versionNegotiation: { mode: { pin: version } } };
  const client = new Client({ name: 'test', version: '1' }, negotiation);
  context.after(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(url));
  return callsOf(client);
}

/** Sends a request with headers that `fetch` would not send; gives its status. */
async function statusOf(url: URL, headers: Record<string, string>, body?: string, path = url.pathname) {
  const method = body === undefined ? 'GET' : 'POST';
  const sent = sendHttp({ host: url.hostname, port: url.port, path, method, headers });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
  answer.resume();
  return answer.statusCode;
}

const json = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
const listTools = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';

test('clients of both generations of the protocol work over HTTP, at the same time', async (context) => {
  const { url: serverUrl } = await startService(context);
  const { url, stop } = await serveHttp(context, serverUrl);
  assert.match(url.href, /^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
  const [old, recent] = await Promise.all([connect(context, url), connect(context, url, '2026-07-28')]);
  assert.equal(recent.client.getNegotiatedProtocolVersion(), '2026-07-28');
  assert.match(old.client.getNegotiatedProtocolVersion() ?? '', /^2025-/);
  assert.equal((await old.tools()).length, 13);
  assert.deepEqual(await recent.tools(), await old.tools());
  await Promise.all(
    [old, recent].flatMap(({ read }, client) =>
      Array.from({ length: 10 }, (_, n) =>
        read('put_items', { base: 'b', items: [{ key: `${client}-${n}` }] }),
      ),
    ),
  );
  assert.deepEqual(await old.read('count_items', { base: 'b' }), { count: 20 });
  assert.deepEqual(await recent.read('count_items', { base: 'b' }), { count: 20 });
  assert.match(await recent.refusal('count_items', { base: 'b', query: { 'a?x': 1 } }), /Bad query/);
  const large = { key: 'large', text: 'x'.repeat(390_000) };
  const items = Array.from({ length: 25 }, (_, n) => ({ ...large, key: `large-${n}` }));
  assert.equal((await old.read<{ keys: string[] }>('put_items', { base: 'large', items })).keys.length, 25);
  assert.equal(await stop('SIGTERM'), 0);
});

test('web pages of other origins, other hosts and other paths are refused', async (context) => {
  const { url: serverUrl } = await startService(context);
  const { url } = await serveHttp(context, serverUrl);
  const status = (headers: object, path?: string) => statusOf(url, { ...json, ...headers }, listTools, path);
  assert.equal(await status({}), 200);
  assert.equal(await status({ Origin: `http://127.0.0.1:${url.port}` }), 200);
  for (const Origin of ['https://evil.example', 'http://127.0.0.1.evil.example', 'null']) {
    assert.equal(await status({ Origin }), 403, Origin);
  }
  for (const Host of ['evil.example', `evil.example:${url.port}`, '127.0.0.1.evil.example']) {
    assert.equal(await status({ Host }), 403, Host);
  }
  // A page can send a form without asking first: it is not JSON.
  assert.equal(await status({ 'Content-Type': 'text/plain' }), 415);
  assert.equal(await statusOf(url, json), 405);
  for (const path of ['/', '/mcp/x', '/v1/demo/bases']) assert.equal(await status({}, path), 404, path);
  assert.equal(await statusOf(url, json, 'no JSON'), 400);
  assert.equal(await statusOf(url, { ...json, 'Content-Length': String(17 * 1024 * 1024) }, ''), 413);
  assert.equal(await status({}), 200);
});

test('it listens on no address that others reach, and says so if a port is taken', async (context) => {
  const { url: serverUrl, port } = await startService(context);
  for (const address of ['0.0.0.0:0', '[::]:0', '192.0.2.1:0', 'example.com:0', 'localhost']) {
    const { code, err } = await run(['mcp', '--url', serverUrl, '--http', address], { BASEDRIVE_KEY: key });
    assert.equal(code, 2);
    assert.match(err, /must be an address of this machine that others cannot reach, and a port/);
  }
  const taken = await run(['mcp', '--url', serverUrl, '--http', `127.0.0.1:${port}`], { BASEDRIVE_KEY: key });
  assert.equal(taken.code, 2);
  assert.match(
    taken.err,
    /Cannot listen on 127\.0\.0\.1 port \d+: the port is in use; give another \(--http\)/,
  );
  const { url, stop } = await serveHttp(context, serverUrl, 'localhost');
  assert.match(url.href, /^http:\/\/localhost:\d+\/mcp$/);
  assert.equal(await stop('SIGINT'), 0);
});
