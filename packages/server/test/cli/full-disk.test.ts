import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { backup } from '../support/backups.js';
import { run, temporaryFolder } from '../support/run-cli.js';
import { filledFolder } from '../support/served-copy.js';

const main = fileURLToPath(new URL('../../src/main.js', import.meta.url));
const tried = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']);
const skip = tried.status === 0 ? false : 'no file system can be mounted here';
if (skip !== false && process.env.BASEDRIVE_REQUIRE_SMALL_DISK === '1') throw new Error(skip);

test('a disk that is full during a backup, an export, a restore or a copy is named in one line, and half a store passes for none', {
  skip,
}, async (context) => {
  const data = await filledFolder(context);
  const place = join(await temporaryFolder(context), 'place');
  await backup(data, place);
  const disk = await temporaryFolder(context);
  /** Runs commands one after the other where the disk is mounted; gives the exit code and the last line of each. */
  const onSmallDisk = (...commands: string[]) => {
    const lines = commands.map(
      (command) => `out=$("$NODE" "$MAIN" ${command} 2>&1); echo "$? $(echo "$out" | tail -n 1)"`,
    );
    // An archive is compressed: it needs little room.
    const fill = commands[0]?.includes('.zip') ? 'head -c 1020k /dev/zero > fill' : '';
    const script = ['mount -t tmpfs -o size=1m tmpfs "$DISK" && cd "$DISK"', fill, ...lines].join('\n');
    const { stdout } = spawnSync('unshare', ['-rm', 'sh', '-c', script], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, NODE: process.execPath, MAIN: main, DISK: disk },
    });
    return stdout.trim().split('\n');
  };
  for (const command of [
    `backup ./place --data ${data}`,
    `export ./out --data ${data}`,
    `export ./out.zip --data ${data}`,
  ]) {
    const [line] = onSmallDisk(command);
    assert.match(
      line ?? '',
      /^2 basedrive: \S+ cannot store the rest of the (backup|export): ENOSPC/,
      command,
    );
  }
  const half = ['check --data r', 'backup b --data r', 'export e --data r', '--port 0 --data r'];
  for (const make of [`restore ${place} --data r`, `copy --from ${data} --to r`]) {
    const [made, ...refused] = onSmallDisk(make, ...half);
    assert.match(made ?? '', /^2 basedrive: \S+\/r cannot store the rest of the copy: .*ENOSPC/);
    for (const line of refused)
      assert.match(line, /^2 basedrive: These rows are a copy that did not complete/, make);
    assert.equal(refused.length, half.length);
  }
  assert.equal((await run(['check', '--data', data])).code, 0);
});

test('a server that cannot write at its start for want of room names the folder', {
  skip,
}, async (context) => {
  const disk = await temporaryFolder(context);
  const script = `mount -t tmpfs -o size=20m tmpfs "$0" && head -c 19900k /dev/zero > "$0/fill"
    "$1" "$2" --port 0 --data "$0/data"`;
  const { stderr } = spawnSync('unshare', ['-rm', 'sh', '-c', script, disk, process.execPath, main], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  });
  assert.equal(stderr, `basedrive: The disk of ${disk}/data/rows is full\n`);
});

test('a place of backups on a read-only disk is named with that reason', { skip }, async (context) => {
  const data = await filledFolder(context);
  const disk = await temporaryFolder(context);
  const script = `mount -t tmpfs tmpfs "$0" && mkdir "$0/place" && mount -o remount,ro "$0"
    "$1" "$2" backup "$0/place" --data "$3"`;
  const words = ['-rm', 'sh', '-c', script, disk, process.execPath, main, data];
  const { status, stderr } = spawnSync('unshare', words, { encoding: 'utf8' });
  assert.match(
    stderr,
    /^basedrive: \S+\/place cannot store the rest of the backup: EROFS: read-only file system/m,
  );
  assert.equal(status, 2);
});
