import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { callsOf, key, openSession, startService } from '../support/mcp-session.js';
import { main, run, temporaryFolder } from '../support/run-cli.js';

const page = await readFile(fileURLToPath(new URL('../../../../../docs/agents.md', import.meta.url)), 'utf8');

/** The blocks of this language. */
function blocksOf(language: string): readonly string[] {
  return Array.from(page.matchAll(/^```(\w+)\n(.*?)^```$/gms))
    .filter(([, name]) => name === language)
    .map(([, , block = '']) => block);
}

interface Command {
  readonly command: string;
  readonly args: readonly string[];
}

interface Remote {
  readonly type: 'http';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The servers in the configurations of the page. */
function configured(): readonly (Command | Remote)[] {
  return blocksOf('json')
    .map((block) => JSON.parse(block) as Record<string, Record<string, Command | Remote>>)
    .flatMap(({ mcpServers, servers }) => Object.values(mcpServers ?? servers ?? {}));
}

test('the configurations of docs/agents.md start a session', async (context) => {
  const { url } = await startService(context);
  const keyFile = join(await temporaryFolder(context), 'agent.key');
  await writeFile(keyFile, `${key}\n`, { mode: 0o600 });
  const commands = configured().filter((server) => 'command' in server);
  assert.equal(commands.length, 2);
  for (const { command, args } of commands) {
    assert.equal(command, 'basedrive');
    const given = args.map((option) =>
      option.startsWith('http:') ? url : option.endsWith('agent.key') ? keyFile : option,
    );
    const client = new Client({ name: 'test', version: '1' });
    context.after(() => client.close());
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [main, ...given], stderr: 'ignore' }),
    );
    assert.deepEqual(await callsOf(client).read('list_bases', {}), { bases: [] });
  }
});

test('the commands over HTTP of docs/agents.md make a token and serve the client that the page configures', async (context) => {
  const { url: serverUrl } = await startService(context);
  const folder = await temporaryFolder(context);
  const script = blocksOf('sh').find((block) => block.includes('--http')) ?? '';
  const [make = '', serve = ''] = script.replaceAll('/home/ada', folder).trim().split('\n');
  await promisify(execFile)('sh', ['-c', make]);
  await writeFile(join(folder, 'agent.key'), key);
  const [, ...args] = serve.replace('127.0.0.1:8090', '127.0.0.1:0').split(' ');
  const served = spawn(process.execPath, [main, ...args, '--url', serverUrl], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(served, 'exit');
  context.after(async () => {
    served.kill('SIGKILL');
    await ended;
  });
  let err = '';
  for await (const chunk of served.stderr.setEncoding('utf8')) {
    err += chunk;
    if (err.includes('/mcp\n')) break;
  }
  const [remote, ...others] = configured().filter((server) => 'url' in server);
  assert.ok(remote !== undefined && others.length === 0);
  assert.equal(new URL(remote.url).host, '127.0.0.1:8090');
  const token = (await readFile(join(folder, 'agent.token'), 'utf8')).trim();
  const headers = {
    Authorization: remote.headers.Authorization?.replace(/\$\{BASEDRIVE_MCP_TOKEN\}/, token) ?? '',
  };
  const address = new URL(/ on (http:\S+)$/m.exec(err)?.[1] ?? '');
  assert.equal(address.pathname, new URL(remote.url).pathname);
  const client = new Client({ name: 'test', version: '1' });
  context.after(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
  assert.deepEqual(await callsOf(client).read('list_bases', {}), { bases: [] });
});

test('docs/agents.md lists every tool with what it needs, and every option of the command', async (context) => {
  const { url } = await startService(context);
  const listed = Array.from(page.matchAll(/^\| `(\w+)` \| .* \| (`--write` )?\|$/gm), ([, name, write]) => ({
    name,
    write: write !== undefined,
  }));
  const reading = await openSession(context, url, { options: [] });
  const writing = await openSession(context, url);
  assert.deepEqual(
    listed.filter(({ write }) => !write).map(({ name }) => name),
    await reading.tools(),
  );
  assert.deepEqual(
    listed.map(({ name }) => name),
    await writing.tools(),
  );
  const { out } = await run(['mcp', '--help']);
  for (const [option] of page.matchAll(/(?<=^\| `)--[a-z-]+/gm))
    assert.ok(out.includes(`  ${option} `), option);
  for (const [option = ''] of out.matchAll(/(?<=^ {2})--[a-z-]+/gm)) {
    assert.ok(page.includes(`\`${option}\``), option);
  }
});

test('the item of docs/agents.md keeps the digits that the page says', async (context) => {
  const { url } = await startService(context);
  const { read, call } = await openSession(context, url);
  const example = blocksOf('json').map((block) => JSON.parse(block) as { base?: string; items?: string[] });
  const given = example.find(({ items }) => items !== undefined);
  assert.ok(given);
  assert.deepEqual(await read('put_items', given), { keys: ['a'] });
  const { content } = await call('query_items', { base: given.base });
  assert.deepEqual(content, [{ type: 'text', text: `{"items":[${given.items?.[0]}]}` }]);
});

test('the limits of docs/agents.md are those of the tools', async (context) => {
  const { url } = await startService(context);
  const { client } = await openSession(context, url);
  const { tools } = await client.listTools();
  const bounds = (tool: string, argument: string) => {
    const found = tools.find(({ name }) => name === tool)?.inputSchema.properties?.[argument];
    const { default: usual, maximum } = found as { default?: number; maximum?: number };
    return [usual, maximum].map((number) => number?.toLocaleString('en-US'));
  };
  const [items, most] = bounds('query_items', 'limit');
  assert.match(
    page,
    new RegExp(`^\\| items of a page \\| ${items} \\| .limit.: ${most?.replace(',', ',?')} \\|$`, 'm'),
  );
  const [bytes, mostBytes] = bounds('query_items', 'max_bytes');
  assert.match(
    page,
    new RegExp(`^\\| bytes of the items .* \\| ${bytes} \\| .max_bytes.: ${mostBytes} \\|$`, 'm'),
  );
  const [names, mostNames] = bounds('list_files', 'limit');
  assert.match(
    page,
    new RegExp(`^\\| names of a page \\| ${names}, .*: ${mostNames?.replace(',', ',?')}, and`, 'm'),
  );
  const [, mostOfFile] = bounds('read_file', 'length');
  assert.match(page, new RegExp(`^\\| bytes of a file \\| 65,536 \\| .length.: ${mostOfFile} \\|$`, 'm'));
});
