import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { BackupReport } from '../../src/store/backup/report.js';
import type { RestoreReport } from '../../src/store/backup/restore.js';
import { assertSameFiles } from '../support/archive-project.js';
import { type RunningServer, run, startServer, temporaryFolder } from '../support/run-cli.js';
import { contentOf, filledFolder, key, send } from '../support/served-copy.js';

const main = fileURLToPath(new URL('../../src/main.js', import.meta.url));
const killed = fileURLToPath(new URL('../support/killed-backup.js', import.meta.url));

async function backup(folder: string, to: string, options: readonly string[] = []): Promise<BackupReport> {
  const { code, out, err } = await run(['backup', to, '--data', folder, '--json', ...options]);
  assert.equal(code, 0, out + err);
  return JSON.parse(out) as BackupReport;
}

async function restore(from: string, to: string, options: readonly string[] = []): Promise<RestoreReport> {
  const { code, out, err } = await run(['restore', from, '--data', to, '--json', ...options]);
  assert.equal(code, 0, out + err);
  return JSON.parse(out) as RestoreReport;
}

async function momentsIn(place: string): Promise<string[]> {
  const { out } = await run(['restore', place, '--list', '--json']);
  return (JSON.parse(out) as { moment: string }[]).map(({ moment }) => moment);
}

/** All files of the only project of a store, which no server uses. */
async function exportOf(context: TestContext, folder: string): Promise<string> {
  const to = join(await temporaryFolder(context), 'export');
  const { code, err } = await run(['export', to, '--data', folder]);
  assert.equal(code, 0, err);
  return to;
}

test('a backup of a stopped store is restored to an equal one, keys, uploads and expiries too', async (context) => {
  const folder = await filledFolder(context);
  const made = await run(['keys', 'create', 'demo', '--json', '--data', folder]);
  const own = JSON.parse(made.out) as { key: string };
  const place = join(await temporaryFolder(context), 'backups');
  const first = await backup(folder, place, ['--verify']);
  assert.deepEqual([first.blobs, first.blobsCopied, first.blobsVerified, first.problemCount], [3, 3, 3, 0]);
  const second = await backup(folder, place);
  assert.deepEqual([second.blobs, second.blobsCopied, second.rows], [3, 0, first.rows]);
  assert.deepEqual(await momentsIn(place), [first.moment, second.moment]);
  assert.equal((await stat(place)).mode & 0o77, 0);

  const to = join(await temporaryFolder(context), 'restored');
  const restored = await restore(place, to);
  assert.deepEqual([restored.moment, restored.rows, restored.blobs], [second.moment, first.rows, 3]);
  const [[rows, bytes], [copy, copied]] = [await contentOf(folder), await contentOf(to)];
  assert.deepEqual(copied, bytes);
  assert.deepEqual(copy, rows);
  assert.equal((await run(['check', '--data', to])).code, 0);
  const server = await startServer(context, ['--data', to]);
  const headers = { 'X-API-Key': own.key };
  const answer = await fetch(`${server.url}/v1/demo/drive/files/download?name=large`, { headers });
  assert.equal((await answer.arrayBuffer()).byteLength, 300_000);
  assert.equal(await server.stop(), 0);
});

test('a backup under load has everything that was acknowledged before its moment, and nothing later', async (context) => {
  const folder = await temporaryFolder(context);
  const place = join(await temporaryFolder(context), 'backups');
  let server = await startServer(context, ['--data', folder, '--key', key]);
  // Between the chain's first base and its drive: rows that are read for longer than a write takes.
  const filler = Array.from({ length: 30_000 }, (_, n) => `{"key":"${n}"}\n`).join('');
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/x-ndjson' };
  await fetch(`${server.url}/v1/demo/chain1-filler/items`, { method: 'PUT', headers, body: filler });
  let isWriting = true;
  let begun = 0;
  let acknowledged = 0;
  /** Each write begins when the one before it was acknowledged, so a moment has a beginning of the chain, whole. */
  const chain = async () => {
    while (isWriting) {
      const n = ++begun;
      if (n % 3 === 0)
        await send(server, 'POST', `drive/files?name=chain/${n}`, Buffer.alloc(20_000, `${n} `));
      else await send(server, 'PUT', `chain${n % 3}/items`, JSON.stringify({ items: [{ key: `${n}` }] }));
      acknowledged = n;
    }
  };
  /** Files of blobs that are overwritten and deleted all the time. */
  const churn = async (worker: number) => {
    for (let n = 0; isWriting; n++) {
      const name = `churn/${worker}-${n % 5}`;
      await send(
        server,
        'POST',
        `drive/files?name=${name}`,
        Buffer.alloc(100_000 + n, `${(100_000 + n) % 10}`),
      );
      if (n % 4 === 3) await send(server, 'DELETE', 'drive/files', JSON.stringify({ names: [name] }));
    }
  };
  let writing = Promise.all([chain(), churn(1), churn(2)]);

  const checkBackup = async (moment: string, least: number, most: number) => {
    const to = join(await temporaryFolder(context), 'restored');
    await restore(place, to, ['--at', moment]);
    assert.equal((await run(['check', '--data', to])).code, 0);
    const exported = await exportOf(context, to);
    const numbers: number[] = [];
    for (const base of ['chain1', 'chain2']) {
      const text = await readFile(join(exported, `bases/${base}.json`), 'utf8');
      for (const item of JSON.parse(text) as { key: string }[]) numbers.push(Number(item.key));
    }
    for (const name of await readdir(join(exported, 'drives/drive/chain'))) {
      const bytes = await readFile(join(exported, 'drives/drive/chain', name));
      assert.ok(bytes.equals(Buffer.alloc(20_000, `${name} `)));
      numbers.push(Number(name));
    }
    const last = Math.max(...numbers);
    assert.ok(last >= least && last <= most, `${last} is from ${least} to ${most}`);
    assert.deepEqual(
      numbers.sort((a, b) => a - b),
      Array.from({ length: last }, (_, n) => n + 1),
      'a whole beginning of the chain',
    );
    for (const name of await readdir(join(exported, 'drives/drive/churn'))) {
      const bytes = await readFile(join(exported, 'drives/drive/churn', name));
      assert.ok(bytes.every((byte) => byte === 48 + (bytes.length % 10)));
    }
  };

  const taken: [moment: string, least: number, most: number][] = [];
  while (acknowledged < 60) await new Promise((resolve) => setImmediate(resolve));
  for (let round = 0; round < 2; round++) {
    const least = acknowledged;
    const { moment, problemCount } = await backup(folder, place);
    taken.push([moment, least, begun]);
    assert.equal(problemCount, 0);
  }

  // A backup whose command is killed, and one whose server is killed, leave the others whole.
  const blobsBefore = await blobsIn(place);
  const command = spawn(process.execPath, [main, 'backup', place, '--data', folder], { stdio: 'ignore' });
  while (command.exitCode === null && (await blobsIn(place)) === blobsBefore) await tick();
  command.kill('SIGKILL');
  const cut = run(['backup', place, '--data', folder]);
  await tick();
  isWriting = false;
  await writing;
  isWriting = true;
  server.child.kill('SIGKILL');
  await once(server.child, 'close');
  const { code } = await cut;
  assert.ok(code === 0 || code === 2);
  server = await startServer(context, ['--data', folder, '--key', key]);
  writing = Promise.all([chain(), churn(1), churn(2)]);
  const least = acknowledged;
  const { moment } = await backup(folder, place, ['--verify']);
  taken.push([moment, least, begun]);
  isWriting = false;
  await writing;
  for (const given of taken) await checkBackup(...given);

  // Only the newest backup is kept, and it stays whole.
  const last = await backup(folder, place, ['--keep', '0s']);
  assert.deepEqual(await momentsIn(place), [last.moment]);
  await checkBackup(last.moment, acknowledged, acknowledged);
  assert.equal(await server.stop(), 0);
});

async function blobsIn(place: string): Promise<number> {
  const entries = await readdir(place, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).length;
}

const tick = () => new Promise((resolve) => setImmediate(resolve));

test('a backup that is killed at any step leaves the one before it whole, and the next one completes', async (context) => {
  const folder = await filledFolder(context);
  const place = join(await temporaryFolder(context), 'backups');
  const first = await backup(folder, place);
  const before = await exportOf(context, folder);
  const change = async (n: number) => {
    const server: RunningServer = await startServer(context, ['--data', folder, '--key', key]);
    await send(server, 'POST', 'drive/files?name=large', Buffer.alloc(300_000 + n, `${n}`));
    assert.equal(await server.stop(), 0);
  };
  await change(0);
  const after = await exportOf(context, folder);
  let restored = 0;
  for (let killAt = 1; ; killAt += 2) {
    const options = [killed, folder, place, String(killAt)];
    const ended = await promisify(execFile)(process.execPath, options).catch((cause) => cause);
    if (ended.signal === undefined) {
      assert.ok(Number(ended.stdout) >= 8, `${ended.stdout} steps`);
      break;
    }
    assert.equal(ended.signal, 'SIGKILL', ended.stderr);
    const moments = await momentsIn(place);
    assert.ok(moments.length > 0);
    const to = join(await temporaryFolder(context), 'restored');
    await restore(place, to);
    await assertSameFiles(await exportOf(context, to), moments.at(-1) === first.moment ? before : after);
    restored++;
  }
  assert.ok(restored >= 4);
  assert.equal((await momentsIn(place)).length, 1);
});

test('backup and restore refuse wrong places in one line; a damaged backup is named', async (context) => {
  const folder = await filledFolder(context);
  const place = join(await temporaryFolder(context), 'backups');
  const empty = await temporaryFolder(context);
  const foreign = await temporaryFolder(context);
  await writeFile(join(foreign, 'notes.txt'), 'mine');
  await backup(folder, place);
  const other = await filledFolder(context);
  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [['backup', foreign, '--data', folder], /is not empty and holds no backups$/m],
    [['backup', join(folder, 'blobs'), '--data', folder], /holds something else than backups$/m],
    [['backup', place, '--data', other], /holds the backups of another store: give another place$/m],
    [['backup', 'http://u:s3cret@h/', '--data', folder], /The place of backups must be/],
    [['backup', place, '--data', folder, '--keep', 'long'], /--keep long: must be a time with its unit/],
    [['backup', place, '--data', empty], /There is no Basedrive store in/],
    [['restore', join(empty, 'none'), '--data', join(empty, 'x')], /There is no backup in/],
    [['restore', foreign, '--data', join(empty, 'x')], /holds no backups$/m],
    [['restore', place, '--data', folder], /The store is not empty/],
    [['restore', place, '--data', foreign], /is not empty and holds no Basedrive store/],
    [['serve', '--data', join(empty, 'y'), '--blobs', place, '--port', '0'], /belong to other rows/],
  ];
  for (const [options, message] of wrong) {
    const { code, out, err } = await run(options);
    assert.equal(code, 2, err);
    assert.equal(out, '');
    assert.match(err, message);
    assert.match(err, /^basedrive: [^\n]+\n$/m);
    assert.ok(!err.includes('s3cret'));
  }

  // A byte of a file's blob, then one of the rows.
  for (const entry of await readdir(place, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || (await stat(path)).size !== 300_000) continue;
    await writeFile(path, (await readFile(path)).fill(0, 1000, 1001));
  }
  const { code, out } = await run(['restore', place, '--data', join(empty, 'damaged')]);
  assert.equal(code, 1);
  assert.match(out, /^Problems: 1\n"blobs" "[0-9a-f]{32}": its bytes, blob \S+, have another checksum$/m);
});
