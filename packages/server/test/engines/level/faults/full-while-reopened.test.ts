import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../../../support/level-folder.js';

const program = fileURLToPath(new URL('../../../support/read-while-reopened.js', import.meta.url));
const tried = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']);
const skip = tried.status === 0 ? false : 'no file system can be mounted here';
if (skip !== false && process.env.BASEDRIVE_REQUIRE_SMALL_DISK === '1') throw new Error(skip);

test('a read that waits while LevelDB is opened again is answered, also when the disk becomes full meanwhile', {
  skip,
}, async (context) => {
  const disk = await temporaryFolder(context);
  const script = 'mount -t tmpfs -o size=32m tmpfs "$0" && exec "$1" "$2" "$0"';
  const { stdout, stderr } = spawnSync(
    'unshare',
    ['-rm', 'sh', '-c', script, disk, process.execPath, program],
    { encoding: 'utf8', timeout: 60_000 },
  );
  assert.equal(stdout, 'true, not opened, 100000 bytes\n', stderr);
});
