import assert from 'node:assert/strict';
import { test } from 'node:test';
import { key } from '../support/mcp-session.js';
import { run, startServer } from '../support/run-cli.js';

/** Has Node write a line for each module of the protocol, and for what has the tools, that it loads. */
const watcher = `
import { writeSync } from 'node:fs';
export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  if (/modelcontextprotocol|node_modules.zod|serve-stdio|server.client/.test(found.url)) writeSync(2, 'LOADED ' + found.url + '\\n');
  return found;
}`;
const dataUrl = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;
const register = dataUrl(
  `import { register } from 'node:module'; register(${JSON.stringify(dataUrl(watcher))});`,
);
const watching = { NODE_OPTIONS: `--import=${register}` };

test('only the command mcp loads the SDK, the tools and the client library', async (context) => {
  const server = await startServer(context, ['--memory', '--key', key], watching);
  assert.doesNotMatch(server.err(), /LOADED/);
  assert.doesNotMatch((await run(['--help'], watching)).err, /LOADED/);
  const { err } = await run(['mcp', '--url', server.url], { ...watching, BASEDRIVE_KEY: key });
  for (const part of [
    '@modelcontextprotocol/server',
    'node_modules/zod',
    'serve-stdio',
    'packages/server/client',
  ]) {
    assert.match(err, new RegExp(`LOADED .*${part}`));
  }
  // Over standard input and output, no HTTP server is needed.
  assert.doesNotMatch(err, /modelcontextprotocol\/node/);
});
