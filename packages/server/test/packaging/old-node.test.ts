import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { main, temporaryFolder } from '../support/run-cli.js';
import { root, unpack } from './packed-server.js';

const platform = `${process.platform}-${process.arch}`;
/** One, of a Linux distribution still in use, cannot read today's syntax, one lacks functions, one is too old by its minor version alone. */
const tooOld = ['12.22.12', '18.20.8', '20.18.3'];

/** Why no Node can be fetched; false if one can. npm itself must not be asked about a platform that it does not have. */
function reason(): string | false {
  if (!['linux-x64', 'linux-arm64'].includes(platform)) return `npm has no Node for ${platform}`;
  const asked = spawnSync('npm', ['view', `node-${platform}@${tooOld[0]}`, 'version'], { encoding: 'utf8' });
  return asked.status === 0 ? false : 'the npm registry does not answer';
}

const skip = reason();
if (skip !== false && process.env.BASEDRIVE_REQUIRE_PROGRAMS === '1') throw new Error(skip);

test('every Node that is too old is told so in one line, whatever the command', { skip }, async (context) => {
  const folder = await temporaryFolder(context);
  for (const version of tooOld) {
    unpack(`node-${platform}@${version}`, join(folder, version));
    const node = join(folder, version, 'bin', 'node');
    for (const words of [[], ['--version'], ['doctor', '--json'], ['mcp']]) {
      const { status, stdout, stderr } = spawnSync(node, [main, ...words], { cwd: folder, encoding: 'utf8' });
      const told = `basedrive: Node.js 20.19 or later is needed, and this is ${version} (${node})\n`;
      assert.deepEqual({ status, stdout, stderr }, { status: 2, stdout: '', stderr: told });
    }
  }
  assert.deepEqual(readdirSync(folder).sort(), [...tooOld].sort());
});

test('the version that the program asks for is the one that the packages declare', () => {
  const asked = /const oldest = \[(\d+), (\d+)\]/.exec(readFileSync(main, 'utf8'));
  for (const path of ['package.json', 'packages/server/package.json', 'packages/client/package.json']) {
    const { engines } = JSON.parse(readFileSync(join(root, path), 'utf8')) as { engines: { node: string } };
    assert.equal(engines.node, `>=${asked?.[1]}.${asked?.[2]}`, path);
  }
});

test('a program that waits for ever, without anything that could end it, fails', () => {
  const text = readFileSync(main, 'utf8').replace("import('./run-process.js')", 'new Promise(() => {})');
  assert.match(text, /new Promise/);
  assert.throws(
    () => execFileSync(process.execPath, ['--input-type=module', '--eval', text.replace(/^#!.*/, '')]),
    { status: 13 },
  );
});
