import assert from 'node:assert/strict';
import { test } from 'node:test';
import { key } from '../support/mcp-session.js';
import { run, startServer } from '../support/run-cli.js';

/** Has Node write a line for each script of the protocol, and for what has the tools, that it loads. */
const watcher = `
import Module from 'node:module';
import { writeSync } from 'node:fs';
const find = Module._resolveFilename;
Module._resolveFilename = function (...given) {
  const found = find.apply(this, given);
  if (/modelcontextprotocol|node_modules.zod|serve-stdio|bundled.client/.test(found)) writeSync(2, 'LOADED ' + found + '\\n');
  return found;
}`;
const register = `data:text/javascript,${encodeURIComponent(watcher)}`;
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
    'bundled/client.js',
  ]) {
    assert.match(err, new RegExp(`LOADED .*${part}`));
  }
  // Over standard input and output, no HTTP server is needed.
  assert.doesNotMatch(err, /modelcontextprotocol\/node/);
});
