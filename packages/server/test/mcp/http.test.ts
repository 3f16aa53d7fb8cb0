import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request as sendHttp } from 'node:http';
import { connect as openConnection } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import {
  Client,
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from '@modelcontextprotocol/client';
import { callsOf, key, startService } from '../support/mcp-session.js';
import { main, run, temporaryFolder } from '../support/run-cli.js';

interface Served {
  readonly url: URL;
  /** What it wrote to standard error until it listened. */
  readonly err: string;
  /** Sends a signal and gives the exit code. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
}

interface Started {
  readonly host?: string;
  readonly options?: readonly string[];
  readonly variables?: NodeJS.ProcessEnv;
}

/** Runs the command with `--http` on a free port. */
async function serveHttp(
  context: TestContext,
  serverUrl: string,
  { host = '127.0.0.1', options = [], variables = {} }: Started = {},
): Promise<Served> {
  const args = [main, 'mcp', '--write', '--url', serverUrl, '--http', `${host}:0`, ...options];
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, BASEDRIVE_KEY: key, ...variables },
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
      err,
      async stop(signal) {
        child.kill(signal);
        return (await ended)[0];
      },
    };
  }
  throw new Error(`The command ended: ${err}`);
}

async function connect(
  context: TestContext,
  url: URL,
  version?: string,
  options?: StreamableHTTPClientTransportOptions,
) {
  const negotiation = version === undefined ? {} : { versionNegotiation: { mode: { pin: version } } };
  const client = new Client({ name: 'test', version: '1' }, negotiation);
  context.after(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(url, options));
  return callsOf(client);
}

/** Sends a request with headers that `fetch` would not send. */
async function answerOf(url: URL, headers: Record<string, string>, body?: string, path = url.pathname) {
  const method = body === undefined ? 'GET' : 'POST';
  const sent = sendHttp({ host: url.hostname, port: url.port, path, method, headers });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  return answer;
}

async function statusOf(...sent: Parameters<typeof answerOf>) {
  return (await answerOf(...sent)).statusCode;
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
  assert.equal((await old.tools()).length, 15);
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

test('names with escapes are what they are, whatever names a message had before', async (context) => {
  const { url: serverUrl } = await startService(context);
  const { url } = await serveHttp(context, serverUrl);
  const { read } = await connect(context, url);
  for (const name of ['\\', '\n', 'a\\', 'a\n']) {
    await read('put_items', {
      base: 'names',
      items: [
        Object.fromEntries([
          ['key', 'k'],
          [name, 1],
        ]),
      ],
    });
    const stored = await fetch(`${serverUrl}/v1/demo/names/items/k`, { headers: { 'X-API-Key': key } });
    assert.equal(await stored.text(), `{"key":"k",${JSON.stringify(name)}:1}`);
  }
});

test('a message that is nested too deep, or has too many values, is refused with the rule', async (context) => {
  const { url: serverUrl } = await startService(context);
  const { url } = await serveHttp(context, serverUrl);
  for (const [params, problem] of [
    [`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'nested more than 108 deep'],
    [`{"a":[${'{},'.repeat(4_900_000)}0]}`, 'more than 204800 JSON values'],
  ] as const) {
    const body = `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":${params}}`;
    const answer = await fetch(url, { method: 'POST', headers: json, body });
    assert.equal(answer.status, 400);
    const error = { code: -32600, message: `message: ${problem}` };
    assert.deepEqual(await answer.json(), { jsonrpc: '2.0', id: 7, error });
  }
  assert.equal(await statusOf(url, json, listTools), 200);
});

const token = 'a-token/of+48~characters._0123456789abcdef012345==';

test('with a token, only clients that send it are answered, whatever they call the service', async (context) => {
  const { url: serverUrl } = await startService(context);
  const file = join(await temporaryFolder(context), 'token');
  await writeFile(file, `${token}\n`);
  await chmod(file, 0o600);
  const { url, err } = await serveHttp(context, serverUrl, { options: ['--token-file', file] });
  assert.doesNotMatch(err, /warning/);
  const headers = { Authorization: `Bearer ${token}` };
  const byHeader = await connect(context, url, undefined, { requestInit: { headers } });
  const authProvider = { token: async () => token };
  const byProvider = await connect(context, url, '2026-07-28', { authProvider });
  assert.equal((await byHeader.tools()).length, 15);
  await byProvider.read('put_items', { base: 'b', items: [{ key: 'k' }] });
  assert.deepEqual(await byHeader.read('count_items', { base: 'b' }), { count: 1 });
  await assert.rejects(connect(context, url), /invalid_token/);

  const answer = (given: Record<string, string>, path?: string) =>
    answerOf(url, { ...json, ...given }, listTools, path);
  const others = [
    `Bearer ${token.replace('a', 'b')}`,
    `Bearer ${token.slice(0, -1)}`,
    `Bearer ${token}=`,
    `Basic ${token}`,
    token,
    'Bearer',
    'Bearer ',
  ];
  for (const given of [{}, ...others.map((Authorization) => ({ Authorization }))]) {
    const { statusCode, headers: answered } = await answer(given);
    assert.equal(statusCode, 401, JSON.stringify(given));
    assert.match(answered['www-authenticate'] ?? '', /^Bearer error="invalid_token", /);
  }
  const statusWith = async (given: Record<string, string>) =>
    (await answer({ ...headers, ...given })).statusCode;
  assert.equal(await statusWith({}), 200);
  assert.equal(await statusWith({ Authorization: `bearer ${token}` }), 200);
  // A proxy may pass on the name that it has itself. A page of another origin is refused, token or not.
  assert.equal(await statusWith({ Host: 'agents.example' }), 200);
  assert.equal(await statusWith({ Origin: 'https://evil.example' }), 403);
  assert.equal((await answer({ Origin: 'https://evil.example' })).statusCode, 403);
  // A client that was refused looks here for a service that gives tokens: there is none.
  assert.equal((await answer({}, '/.well-known/oauth-protected-resource/mcp')).statusCode, 404);
});

test('without a token it says who may use it; with one, it may listen where others reach it, and says what that needs', async (context) => {
  const { url: serverUrl } = await startService(context);
  const variables = { BASEDRIVE_MCP_TOKEN: token };
  assert.match((await serveHttp(context, serverUrl)).err, /warning: there is no token: every user of this/);
  assert.doesNotMatch((await serveHttp(context, serverUrl, { variables })).err, /warning/);
  const empty = { BASEDRIVE_MCP_TOKEN: '' };
  assert.match((await serveHttp(context, serverUrl, { variables: empty })).err, /warning: there is no token/);
  // It is not one of the addresses that certainly belong to this machine, but it does.
  const host = '127.0.0.2';
  const { url, err } = await serveHttp(context, serverUrl, { host, variables });
  assert.match(
    err,
    /warning: this is plain HTTP: let others reach it only through a proxy with a certificate/,
  );
  assert.equal(await statusOf(url, json, listTools), 401);
  assert.equal(await statusOf(url, { ...json, Authorization: `Bearer ${token}` }, listTools), 200);
});

test('a token that could be guessed or sent by nobody is refused, and is in no message', async (context) => {
  const { url: serverUrl } = await startService(context);
  const file = join(await temporaryFolder(context), 'token');
  const start = async (content: string) => {
    await writeFile(file, content);
    const options = ['--http', '127.0.0.1:0', '--token-file', file];
    return await run(['mcp', '--url', serverUrl, ...options], { BASEDRIVE_KEY: key });
  };
  for (const [content, problem] of [
    ['', /--token-file \S+: a token is one line of letters/],
    [`${token} ${token}`, /a token is one line of letters/],
    [`${token}\n${token}`, /a token is one line of letters/],
    [`${token}é`, /a token is one line of letters/],
    ['short-s3cret', /a token has 32 characters or more/],
  ] as const) {
    const { code, err } = await start(content);
    assert.equal(code, 2, content);
    assert.match(err, problem);
    assert.doesNotMatch(err, /s3cret|of\+48/);
  }
  const http = ['--http', '127.0.0.1:0'];
  const missing = await run(['mcp', '--url', serverUrl, ...http, '--token-file', `${file}.none`], {
    BASEDRIVE_KEY: key,
  });
  assert.equal(missing.code, 2);
  assert.match(missing.err, /--token-file: \S+ cannot be read: ENOENT/);
  const variable = await run(['mcp', '--url', serverUrl, ...http], {
    BASEDRIVE_KEY: key,
    BASEDRIVE_MCP_TOKEN: 'short-s3cret',
  });
  assert.match(variable.err, /BASEDRIVE_MCP_TOKEN: a token has 32 characters or more/);
  const alone = await run(['mcp', '--url', serverUrl, '--token-file', file], { BASEDRIVE_KEY: key });
  assert.equal(alone.code, 2);
  assert.match(alone.err, /--token-file: is for --http/);
});

test('without a token it listens on no address that others reach, and says so if a port is taken', async (context) => {
  const { url: serverUrl, port } = await startService(context);
  for (const address of ['0.0.0.0:0', '[::]:0', '192.0.2.1:0', 'example.com:0']) {
    const { code, err } = await run(['mcp', '--url', serverUrl, '--http', address], { BASEDRIVE_KEY: key });
    assert.equal(code, 2);
    assert.match(err, /others may reach this address: give a token \(--token-file or BASEDRIVE_MCP_TOKEN\)/);
  }
  for (const address of ['localhost', '127.0.0.1', '127.0.0.1:x']) {
    const { code, err } = await run(['mcp', '--url', serverUrl, '--http', address], { BASEDRIVE_KEY: key });
    assert.equal(code, 2);
    assert.match(err, /must be an address and a port, such as 127\.0\.0\.1:8090/);
  }
  const taken = await run(['mcp', '--url', serverUrl, '--http', `127.0.0.1:${port}`], { BASEDRIVE_KEY: key });
  assert.equal(taken.code, 2);
  assert.match(
    taken.err,
    /Cannot listen on 127\.0\.0\.1 port \d+: the port is in use; give another \(--http\)/,
  );
  const { url, stop } = await serveHttp(context, serverUrl, { host: 'localhost' });
  assert.match(url.href, /^http:\/\/localhost:\d+\/mcp$/);
  assert.equal(await stop('SIGINT'), 0);
});

test('connections that do nothing do not keep others out', { timeout: 60_000 }, async (context) => {
  const { url: serverUrl } = await startService(context);
  const { url } = await serveHttp(context, serverUrl);
  for (let n = 0; n < 300; n++) {
    const socket = openConnection(Number(url.port), url.hostname);
    context.after(() => socket.destroy());
    socket.on('error', () => {});
    socket.resume();
    if (n % 2 === 0) socket.write('POST /mcp HTTP/1.1\r\nHost:');
  }
  const isServed = () =>
    answerOf(url, {}, undefined, '/elsewhere').then(
      ({ statusCode }) => statusCode === 404,
      () => false,
    );
  while (!(await isServed())) await wait(100);
});
