import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { makeControlGroup, whyNoControlGroup, within } from 'basedrive-acceptance/control-group';
import type { Finding } from '../../src/lib/finding.js';
import { fileSystemFinding, mountOf } from '../../src/server/doctor/file-system.js';
import { memory } from '../../src/server/doctor/machine.js';
import { versions } from '../../src/server/doctor/node-version.js';
import { judgeSyncs } from '../../src/server/doctor/sync-speed.js';
import { issueServerCertificate, makeAuthority } from '../../src/server/tls/issue.js';
import { doctor } from '../support/doctor.js';
import { main, temporaryFolder } from '../support/run-cli.js';

const mib = 1024 * 1024;

/** Lines as the kernel writes them: see proc(5). */
const mountinfo = `22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,errors=remount-ro
30 27 0:40 / /srv/nfs rw,relatime shared:5 master:2 - nfs4 files:/export rw,vers=4.2,hard
31 27 0:41 / /srv/nfs/local rw - xfs /dev/vdb rw
32 27 0:42 / /mnt/two\\040words rw - cifs //files/share rw
33 27 0:43 / /var/tmp rw - ext4 /dev/vdc rw
34 33 0:44 / /var/tmp rw - tmpfs tmpfs rw
35 27 0:45 / /mnt/ssh rw - fuse.sshfs ada@host: rw
36 27 0:46 / /mnt/fast rw,noatime - ext4 /dev/vdd rw,barrier=0,data=ordered
37 27 0:47 / /mnt/older rw,nobarrier - xfs /dev/vde rw
38 27 0:48 / /mnt/overlay rw - overlay overlay rw,lowerdir=/a,upperdir=/b
`;

describe('the file system of a folder', () => {
  const judged = (path: string, use: 'data' | 'bytes' = 'data') => {
    const { verdict, found } = fileSystemFinding(use, path, mountOf(mountinfo, path));
    return `${verdict}: ${found}`;
  };

  test('is that of the nearest mount, the last one if several are at one place', () => {
    const typeOf = (path: string) => mountOf(mountinfo, path)?.type;
    assert.equal(typeOf('/'), 'ext4');
    assert.equal(typeOf('/home/ada'), 'ext4');
    assert.equal(typeOf('/srv/nfsx'), 'ext4');
    assert.equal(typeOf('/srv/nfs/a'), 'nfs4');
    assert.equal(typeOf('/srv/nfs/local/a'), 'xfs');
    assert.equal(typeOf('/mnt/two words/a'), 'cifs');
    assert.equal(typeOf('/var/tmp'), 'tmpfs');
    assert.equal(mountOf('', '/'), undefined);
  });

  test('is warned of if it is on a network, for rows and not for bytes', () => {
    for (const [path, type] of [
      ['/srv/nfs/a', 'nfs4'],
      ['/mnt/two words', 'cifs'],
      ['/mnt/ssh', 'fuse.sshfs'],
    ]) {
      const found = `${path} is on ${type}`;
      assert.equal(judged(`${path}`), `warning: ${found}, whose locks and syncs LevelDB cannot rely on`);
      assert.equal(judged(`${path}`, 'bytes'), `ok: ${found}`);
    }
  });

  test('is warned of if it goes with the machine, or a sync does not reach the disk', () => {
    for (const use of ['data', 'bytes'] as const) {
      assert.match(judged('/var/tmp/a', use), /^warning: .* tmpfs, which a restart of the machine empties$/);
      assert.match(judged('/mnt/overlay', use), /^warning: .* overlay, the layer of a container/);
      assert.match(judged('/mnt/fast', use), /^warning: .* ext4 with barrier=0: a power cut may lose/);
      assert.match(judged('/mnt/older', use), /^warning: .* xfs with nobarrier: a power cut may lose/);
      assert.equal(judged('/home', use), 'ok: /home is on ext4');
    }
  });

  test('is not known without the list of mounts, which is no warning', () => {
    assert.equal(fileSystemFinding('data', '/a', undefined).verdict, 'ok');
  });
});

test('a disk is warned of if it syncs slowly, or faster than any disk', () => {
  const of = (...times: number[]) => judgeSyncs('disk sync', times);
  assert.equal(of(0.05, 0.06, 0.9).verdict, 'ok');
  assert.equal(of(0.05, 0.06, 50).verdict, 'ok');
  const slow = of(8, 12, 40);
  assert.deepEqual(
    [slow.verdict, slow.found],
    ['warning', 'a sync takes 12.0 ms (median of 3), 99 % at most 40.0 ms'],
  );
  assert.match(slow.advice ?? '', /Use an SSD/);
  const fast = of(0.0008, 0.0009, 0.02);
  assert.equal(fast.verdict, 'warning');
  assert.match(fast.advice ?? '', /No disk is so fast/);
});

test('a folder in memory syncs faster than any disk', {
  skip: existsSync('/dev/shm') ? false : 'there is no /dev/shm',
}, async () => {
  const found = await doctor(['--data', '/dev/shm/none']);
  assert.equal(found.of('disk sync').verdict, 'warning', JSON.stringify(found.of('disk sync')));
  assert.match(found.of('disk sync').advice ?? '', /No disk is so fast/);
});

/** What is found of so many MiB, of which clients may fill so many. */
function memoryOf(size: number, buffered: number, { isSecure = false, node = '22.1.0' } = {}): Finding {
  return memory(size * mib, { maxBufferedBytes: buffered * mib, isSecure, node });
}

test('memory is too little for HTTPS with a version of Node that needs more', () => {
  const verdict = (size: number, node: string, isSecure = true) =>
    memoryOf(size, 64, { isSecure, node }).verdict;
  for (const node of ['20.19.0', '22.1.0']) assert.equal(verdict(256, node), 'ok');
  for (const node of ['24.1.0', '26.0.0']) {
    assert.equal(verdict(383, node), 'warning');
    assert.equal(verdict(384, node), 'ok');
    assert.equal(verdict(256, node, false), 'ok');
  }
  const { advice } = memoryOf(256, 64, { isSecure: true, node: '24.1.0' });
  assert.match(advice ?? '', /384 MiB or more: with HTTPS, Node\.js 24\.1\.0 needs them/);
});

test('memory is too little for what clients may fill, or for a server at all', async (context) => {
  const verdict = (size: number, buffered: number) => memoryOf(size, buffered).verdict;
  assert.equal(verdict(8192, 384), 'ok');
  assert.equal(verdict(512, 128), 'ok');
  assert.equal(verdict(256, 64), 'ok');
  assert.equal(verdict(255, 64), 'warning');
  assert.equal(verdict(256, 65), 'warning');
  assert.equal(verdict(2048, 1800), 'warning');
  assert.equal(verdict(2048, 2048), 'failed');
  assert.match(memoryOf(2048, 2048).advice ?? '', /Lower --max-buffered-bytes to 402653184, or/);
  assert.match(memoryOf(128, 200).advice ?? '', /Lower --max-buffered-bytes to 67108864, or/);
  const folder = await temporaryFolder(context);
  const found = await doctor(['--data', folder, '--max-buffered-bytes', String(1024 * 1024 * mib)]);
  assert.equal(found.of('memory').verdict, 'failed');
  assert.match(found.of('memory').found, /, of which --max-buffered-bytes may take 1,048,576 MiB: \d+ of/);
});

test('what a size of memory can do is said', () => {
  const found = (size: number, buffered: number) => memoryOf(size, buffered).found;
  assert.match(found(256, 64), /may take 64 MiB: 1 of the largest bodies at a time, caches of 25 %$/);
  assert.match(found(512, 128), /may take 128 MiB: 2 of the largest bodies at a time, caches of 50 %$/);
  assert.match(found(8192, 384), /may take 384 MiB: 6 of the largest bodies at a time$/);
});

const refusal = whyNoControlGroup();

test('the memory of a container is the one that counts, also if a group above it limits it', {
  skip: refusal ?? false,
}, async (context) => {
  const folder = await temporaryFolder(context);
  const group = makeControlGroup(300 * mib);
  try {
    for (const processes of [group.processes, group.processesBelow()]) {
      const [shell = '', ...words] = within(processes);
      const args = [...words, process.execPath, main, 'doctor', '--json', '--port', '0', '--data', folder];
      const { stdout } = await promisify(execFile)(shell, args);
      const found = (JSON.parse(stdout) as Finding[]).find(({ subject }) => subject === 'memory');
      assert.equal(found?.verdict, 'ok');
      assert.match(
        found?.found ?? '',
        /^300 MiB, of which --max-buffered-bytes may take 75 MiB: 1 of .* 29 %$/,
      );
    }
  } finally {
    await group.remove();
  }
});

test('Node gets no security fixes any more', () => {
  const verdict = (node: string, at: string) => versions(node, Date.parse(at)).verdict;
  assert.equal(verdict('20.19.0', '2026-04-29'), 'ok');
  assert.equal(verdict('20.19.0', '2026-05-01'), 'warning');
  assert.equal(verdict('22.12.0', '2027-04-29'), 'ok');
  assert.equal(verdict('23.1.0', '2025-05-31'), 'ok');
  assert.equal(verdict('23.1.0', '2025-06-02'), 'warning');
  assert.equal(verdict('24.0.0', '2028-05-01'), 'warning');
  assert.equal(verdict('27.0.0', '2040-01-01'), 'ok');
  const { found, advice } = versions('22.12.0', Date.parse('2027-06-01'));
  assert.match(found, /on Node\.js 22\.12\.0, \w+, which has had no security fixes since 2027-04-30$/);
  assert.equal(advice, 'Install a later Node.js.');
});

test('a store that is not reached is a failure, with what to do', async (context) => {
  const folder = await temporaryFolder(context);
  const looked = (...options: string[]) => doctor(['--data', folder, ...options]);
  const rows = (await looked('--items', 'postgres://ada:s3cret@127.0.0.1:1/none')).of('rows');
  assert.match(rows.found, /cannot be opened: The database is unavailable: .*ECONNREFUSED/);
  assert.match(rows.advice ?? '', /^Nothing listens there: start it, or correct the host and the port/);
  const elsewhere = (await looked('--items', 'postgres://ada:s3cret@nowhere.invalid/none')).of('rows');
  assert.match(elsewhere.advice ?? '', /^(There is no such host|Names are not resolved)/);
  assert.doesNotMatch(JSON.stringify([rows, elsewhere]), /s3cret/);
});

test('a certificate that is not for the host of --public-url is a warning', async (context) => {
  const folder = await temporaryFolder(context);
  const nowMs = Date.now();
  const names = ['data.example', '*.wide.example', '192.0.2.7', '2001:db8::7'];
  const pair = await issueServerCertificate(await makeAuthority(nowMs), names, nowMs);
  const files = { cert: join(folder, 'cert'), key: join(folder, 'key') };
  await writeFile(files.cert, pair.cert);
  await writeFile(files.key, pair.key);
  const given = ['--data', folder, '--tls-cert', files.cert, '--tls-key', files.key];
  const verdict = async (host: string, ...options: string[]) =>
    (await doctor([...options, '--public-url', `https://${host}`])).of('certificate');
  for (const host of ['data.example', 'DATA.example:8443', 'a.wide.example', '192.0.2.7', '[2001:db8::7]']) {
    assert.equal((await verdict(host, ...given)).verdict, 'ok', host);
  }
  for (const host of ['other.example', 'x.data.example', '192.0.2.8']) {
    const found = await verdict(host, ...given);
    assert.equal(found.verdict, 'warning', host);
    assert.match(found.found, new RegExp(`it is not for ${host}, the host of --public-url`));
  }
  const own = ['--data', folder, '--https'];
  assert.equal((await verdict('localhost', ...own)).verdict, 'ok');
  assert.equal((await verdict('data.example', ...own, '--hostname', 'data.example')).verdict, 'ok');
  const missing = await verdict('data.example', ...own);
  assert.equal(missing.verdict, 'warning');
  assert.match(missing.advice ?? '', /Add --hostname data\.example/);
});
