import assert from 'node:assert/strict';
import { chown, lchown, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { run, startServer, temporaryFolder } from '../support/run-cli.js';
import { filledFolder } from '../support/served-copy.js';

const other = 64_123;
const skip = process.getuid?.() === 0 ? false : 'only root can give a folder to another user';

test('root does not open the rows of another user, who could not read what it writes', {
  skip,
}, async (context) => {
  const [source, data] = [await filledFolder(context), await filledFolder(context)];
  const place = await temporaryFolder(context);
  const entries = async () => {
    const names = (await readdir(data, { recursive: true })).sort();
    return await Promise.all(names.map(async (name) => [name, (await stat(join(data, name))).uid]));
  };
  for (const [path] of [['.'], ...(await entries())]) await lchown(join(data, String(path)), other, other);
  const before = await entries();
  const commands = [
    ['serve', '--port', '0', '--data', data],
    ['check', '--data', data],
    ['keys', 'create', 'shop', '--data', data],
    ['backup', join(place, 'backup'), '--data', data],
    ['copy', '--from', source, '--to', data, '--overwrite'],
  ];
  const refuses = async (words: readonly string[]) => {
    const { code, err } = await run(words);
    assert.match(err, /The data folder \S+ belongs to the user 64123, who could not read/, words.join(' '));
    assert.equal(code, 2, words.join(' '));
  };
  // Each command waits a while for a server that may be starting.
  await Promise.all(commands.map(refuses));
  const { code, out } = await run(['doctor', '--port', '0', '--data', data]);
  assert.match(out, /^failed +rows +The data folder \S+ belongs to the user 64123/m);
  assert.equal(code, 1);
  assert.deepEqual(await entries(), before, 'nothing was written');
});

test('root runs a command beside the running server of another user', { skip }, async (context) => {
  const data = await filledFolder(context);
  const server = await startServer(context, ['--data', data]);
  const names = await readdir(data, { recursive: true });
  for (const path of ['.', ...names]) await lchown(join(data, path), other, other);
  assert.equal((await run(['check', '--data', data])).code, 0);
  const log = () => stat(join(data, 'rows', 'LOG'));
  const { ino } = await log();
  const beside = await run(['doctor', '--port', '0', '--data', data]);
  assert.match(beside.out, /^ok +rows +\S+ is in use by a running server or command/m);
  assert.equal((await log()).ino, ino, 'LevelDB has not begun a new LOG');
  await server.stop();
});

test('root serves a store of its own in the folder of another user, as in a container', {
  skip,
}, async (context) => {
  const data = join(await temporaryFolder(context), 'volume');
  await mkdir(data);
  await chown(data, other, other);
  for (let start = 0; start < 2; start++) {
    const server = await startServer(context, ['--data', data]);
    assert.equal(await server.stop(), 0);
  }
  assert.equal((await run(['check', '--data', data])).code, 0);
});
