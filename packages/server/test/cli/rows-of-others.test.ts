import assert from 'node:assert/strict';
import { lchown, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { run, startServer, temporaryFolder } from '../support/run-cli.js';
import { filledFolder } from '../support/served-copy.js';

const other = 64_123;
const skip = process.getuid?.() === 0 ? false : 'only root can give a folder to another user';

test('root does not open the rows of another user, who could not read what it writes', {
  skip,
}, async (context) => {
  const data = await filledFolder(context);
  const place = await temporaryFolder(context);
  const entries = async () => (await readdir(data, { recursive: true })).sort();
  const before = await entries();
  for (const path of ['.', ...before]) await lchown(join(data, path), other, other);
  const commands = [['check'], ['keys', 'create', 'shop'], ['backup', join(place, 'backup')]];
  const refuses = async (words: readonly string[]) => {
    const { code, err } = await run([...words, '--data', data]);
    assert.match(err, /^basedrive: The data folder \S+ belongs to the user 64123, who could not read/m);
    assert.equal(code, 2, words.join(' '));
  };
  // Each waits a while for a server that may be starting.
  await Promise.all(commands.map(refuses));
  const { code, out } = await run(['doctor', '--port', '0', '--data', data]);
  assert.match(out, /^failed +rows +The data folder \S+ belongs to the user 64123/m);
  assert.equal(code, 1);
  assert.deepEqual(await entries(), before, 'nothing was written');

  const server = await startServer(context, ['--data', data]);
  assert.equal((await run(['check', '--data', data])).code, 0);
  const log = () => stat(join(data, 'rows', 'LOG'));
  const { ino } = await log();
  const beside = await run(['doctor', '--port', '0', '--data', data]);
  assert.match(beside.out, /^ok +rows +\S+ is in use by a running server or command/m);
  assert.equal((await log()).ino, ino, 'LevelDB has not begun a new LOG');
  await server.stop();
});
