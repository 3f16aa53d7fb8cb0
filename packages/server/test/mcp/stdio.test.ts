import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { key, limitedKey, openSession, startService } from '../support/mcp-session.js';
import { main, run, startServer, temporaryFolder } from '../support/run-cli.js';

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
};

/** Runs the command with this on its standard input, which stays open until it has answered so many lines. */
async function converse(url: string, lines: readonly string[], answers: number) {
  const child = spawn(process.execPath, [main, 'mcp', '--url', url], {
    env: { PATH: process.env.PATH, BASEDRIVE_KEY: key },
  });
  const ended = once(child, 'exit');
  const err = text(child.stderr);
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    out += chunk;
  });
  for (const line of lines) child.stdin.write(`${line}\n`);
  while (out.split('\n').length <= answers) await once(child.stdout, 'data');
  child.stdin.end();
  const [code] = (await ended) as [number | null];
  return { code, out: out.trim().split('\n'), err: await err };
}

/** Runs the command with a standard input that is at its end after this text, and gives its answers. */
async function pipe(url: string, input: string | Buffer) {
  const child = spawn(process.execPath, [main, 'mcp', '--url', url], {
    env: { PATH: process.env.PATH, BASEDRIVE_KEY: key },
  });
  child.stdin.end(input);
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  const answers = out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Answer);
  return { code, answers, err };
}

interface Answer {
  readonly id: number | null;
  readonly result?: { readonly structuredContent?: object };
  readonly error?: { readonly code: number; readonly message: string };
}

const initialized = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
const listBases = (id: number) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'list_bases', arguments: {} } });

test('calls in progress when the input ends are answered, also the last without its line end', async (context) => {
  const { url } = await startService(context);
  const ids = Array.from({ length: 20 }, (_, index) => index + 2);
  const lines = [JSON.stringify(initialize), initialized, ...ids.map(listBases)];
  const { code, answers, err } = await pipe(url, lines.join('\n'));
  assert.equal(code, 0, err);
  assert.deepEqual(
    answers.map(({ id }) => Number(id)).sort((a, b) => a - b),
    [1, ...ids],
  );
  for (const { id, result } of answers)
    if (id !== 1) assert.deepEqual(result?.structuredContent, { bases: [] });
});

test('neither a call that was cancelled nor a subscription keeps the command from ending', async (context) => {
  const { url } = await startService(context);
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } };
  const lines = [JSON.stringify(initialize), initialized, listBases(2), JSON.stringify(cancelled)];
  assert.equal((await pipe(url, lines.join('\n'))).code, 0);
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const listen = { id: 'all', method: 'subscriptions/listen', params: { _meta, notifications: {} } };
  const { code, answers, err } = await pipe(url, `${JSON.stringify({ jsonrpc: '2.0', ...listen })}\n`);
  assert.equal(code, 0, err);
  assert.ok(answers.length > 0 && answers.every(({ error }) => error === undefined), JSON.stringify(answers));
});

test('what is no message is answered with an error, and the next one is read', async (context) => {
  const { url } = await startService(context);
  const ping = '{"jsonrpc":"2.0","id":9,"method":"ping"}';
  const parseError = { id: null, code: -32700 };
  const wrong: readonly (readonly [string, { id: string | number | null; code: number } | undefined])[] = [
    ['this is no JSON', parseError],
    ['{"jsonrpc":"2.0","id":2,"method":', parseError],
    [`[${ping}]`, { id: null, code: -32600 }],
    ['{"id":3,"method":"ping"}', { id: 3, code: -32600 }],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', { id: null, code: -32600 }],
    [`{"jsonrpc":"2.0","id":"x","method":"${'x'.repeat(16 << 20)}"}`, { id: null, code: -32600 }],
    // An answer to an answer could go on for ever.
    ['{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}', undefined],
    ['', undefined],
  ];
  for (const [line, expected] of wrong) {
    const { code, answers, err } = await pipe(url, [JSON.stringify(initialize), line, ping, ''].join('\n'));
    assert.equal(code, 0, err);
    const refused = answers
      .filter(({ error }) => error !== undefined)
      .map(({ id, error }) => ({ id, code: error?.code }));
    assert.deepEqual(refused, expected === undefined ? [] : [expected], line.slice(0, 100));
    assert.ok(answers.some(({ id }) => id === 9));
    assert.ok(err.length < 1000, err);
  }
});

test('standard output has nothing but answers, and the command ends with its input', async (context) => {
  const { url } = await startService(context);
  const lines = [
    JSON.stringify(initialize),
    'this is no JSON',
    initialized,
    listBases(2),
    '{"jsonrpc":"2.0","id":3,"method":"no/such/method"}',
  ];
  const { code, out, err } = await converse(url, lines, 4);
  assert.equal(code, 0);
  const answers = out.map((line) => JSON.parse(line) as Answer);
  assert.deepEqual(answers.map(({ id }) => Number(id)).sort(), [0, 1, 2, 3]);
  assert.ok(answers.find(({ id }) => id === 3)?.error);
  assert.deepEqual(answers.find(({ id }) => id === 2)?.result, {
    content: [{ type: 'text', text: '{"bases":[]}' }],
    structuredContent: { bases: [] },
  });
  assert.match(err, /^Project demo at http:\S+, for reading, on standard input and output$/m);
});

test('a client that closes at once ends the command', async (context) => {
  const { url } = await startService(context);
  assert.equal((await converse(url, [], 0)).code, 0);
});

test('a server that is gone is a failure of each call, and works again when it is back', async (context) => {
  const server = await startService(context);
  const { read, refusal } = await openSession(context, server.url);
  await read('put_items', { base: 'users', items: [{ key: 'ada' }] });
  await server.stop('SIGKILL');
  assert.match(await refusal('list_bases', {}), /^No answer: .*ECONNREFUSED.* \(network\)$/);
  await startServer(context, ['--memory', '--key', key, '--port', String(server.port)]);
  assert.deepEqual(await read('list_bases', {}), { bases: [] });
});

test('a server that does not answer at the start may do so later', async (context) => {
  const first = await startService(context);
  await first.stop();
  const { read, err, tools } = await openSession(context, first.url);
  assert.match(err(), /^basedrive: warning: http:\S+: No answer: .*ECONNREFUSED/m);
  assert.equal((await tools()).length, 15);
  await startServer(context, ['--memory', '--key', key, '--port', String(first.port)]);
  assert.deepEqual(await read('list_drives', {}), { drives: [] });
});

test('two sessions work side by side', async (context) => {
  const { url } = await startService(context);
  const { key: other } = await limitedKey(url, { access: 'read' });
  const [writing, reading] = await Promise.all([
    openSession(context, url),
    openSession(context, url, { withKey: other }),
  ]);
  const puts = Array.from({ length: 20 }, (_, n) =>
    writing.read('put_items', { base: 'b', items: [{ key: `k${n}`, n }] }),
  );
  const reads = Array.from({ length: 20 }, () =>
    reading.read<{ count: number }>('count_items', { base: 'b' }),
  );
  for (const { count } of await Promise.all(reads)) assert.ok(count <= 20);
  await Promise.all(puts);
  assert.deepEqual(await reading.read('count_items', { base: 'b' }), { count: 20 });
  await writing.client.close();
  assert.deepEqual(await reading.read('count_items', { base: 'b' }), { count: 20 });
});

test('a key comes from a file, a variable, or with a warning from the command line', async (context) => {
  const { url } = await startService(context);
  const folder = await temporaryFolder(context);
  const keyFile = join(folder, 'key');
  await writeFile(keyFile, `# for an agent\n${key}\n`, { mode: 0o600 });
  const warning = /warning: --key is visible in the list of processes/;
  const withFile = await run(['mcp', '--url', url, '--key-file', keyFile]);
  assert.equal(withFile.code, 0, withFile.err);
  assert.doesNotMatch(withFile.err, warning);
  const withVariables = await run(['mcp'], { BASEDRIVE_URL: url, BASEDRIVE_KEY: key });
  assert.equal(withVariables.code, 0, withVariables.err);
  assert.doesNotMatch(withVariables.err, warning);
  const withOption = await run(['mcp', '--url', url, '--key', key]);
  assert.equal(withOption.code, 0);
  assert.match(withOption.err, warning);
});

test('what the operator can correct ends the command with one line', async (context) => {
  const { url } = await startService(context);
  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [
      ['--url', url],
      /^basedrive: The server needs a key: put it in a file \(--key-file\) or in BASEDRIVE_KEY/,
    ],
    [['--url', url, '--key', 'demo_wrong'], /does not accept the key$/],
    [['--url', url, '--key', 'demo_a', '--key', 'shop_b'], /keys of several projects: say which/],
    [['--url', url, '--key', key, '--project', 'shop'], /needs a key of project shop/],
    [['--url', 'ftp://x', '--key', key], /--url ftp:\/\/x: must be the address of a server/],
    [['--data', './data', '--key', key], /works with a server: give --url, and no store/],
    [
      ['--key', key, '--http', '0.0.0.0:80'],
      /--http 0\.0\.0\.0:80: others may reach this address: give a token/,
    ],
    [['--key', key, '--http', '8090'], /--http 8090: must be an address and a port/],
    [['--key', key, '--read'], /unknown option '--read'/],
  ];
  for (const [options, told] of wrong) {
    const { code, out, err } = await run(['mcp', ...options]);
    assert.deepEqual([code, out], [2, ''], err);
    const lines = err
      .trim()
      .split('\n')
      .filter((line) => !line.includes('warning: '));
    assert.equal(lines.length, 1, err);
    assert.match(lines[0] ?? '', told);
  }
});
