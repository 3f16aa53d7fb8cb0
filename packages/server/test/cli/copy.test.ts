import assert from 'node:assert/strict';
import { readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { headerBytes } from '../../src/engines/fs/packs/record.js';
import { bytesOfFile, startMovingClient } from '../support/moving-client.js';
import { run, startServer, temporaryFolder } from '../support/run-cli.js';
import {
  contentOf,
  copyJson,
  filledFolder,
  fillServer,
  key,
  mib,
  namesIn,
  send,
} from '../support/served-copy.js';

test('copy of a stopped server copies everything, keys too; once a server starts there, it is no copy any more', async (context) => {
  const folder = await filledFolder(context);
  const made = await run(['keys', 'create', 'demo', '--json', '--data', folder]);
  const own = JSON.parse(made.out) as { key: string };
  const to = join(await temporaryFolder(context), 'new', 'data');
  const { code, out, err } = await run(['copy', '--from', folder, '--to', to, '--verify']);
  assert.equal(code, 0, err);
  assert.match(
    out,
    /^Copied 3 blobs \(10\.8 MB\) and put \d+ rows, deleted 0 rows and 0 blobs, in \d+\.\d s$/m,
  );
  assert.match(out, /^Read 3 blobs of the destination, copied 0 of them again$/m);
  assert.match(out, /^Equal: \d+ rows of [\d,]+ bytes in 3 spaces \(bases, drives and others\), by count/m);
  assert.match(err, /^Counting$/m);
  assert.match(err, /^Copying: 0%/m);
  assert.equal((await run(['check', '--data', to])).code, 0);
  assert.equal((await stat(to)).mode & 0o77, 0);

  const server = await startServer(context, ['--data', to]);
  const answer = await fetch(`${server.url}/v1/demo/drive/files/download?name=joined`, {
    headers: { 'X-API-Key': own.key },
  });
  assert.equal((await answer.arrayBuffer()).byteLength, 5 * mib + 4);
  assert.equal(await server.stop(), 0);
  const again = await run(['copy', '--from', folder, '--to', to]);
  assert.equal(again.code, 2);
  assert.match(again.err, /^basedrive: The destination holds something else, or a server was started/m);
});

test('copy beside a running server goes through it, with writers; a last run without it ends equal', async (context) => {
  const folder = await temporaryFolder(context);
  const server = await startServer(context, ['--data', folder, '--key', key]);
  await fillServer(server);
  const to = await temporaryFolder(context);
  let isWriting = true;
  let rounds = 0;
  const writer = (async () => {
    for (; isWriting; rounds++) {
      const items = Array.from({ length: 25 }, (_, n) => ({ key: `${(rounds * 25 + n) % 400}`, rounds }));
      await send(server, 'PUT', 'busy/items', JSON.stringify({ items }));
      await send(server, 'POST', `drive/files?name=busy${rounds % 7}`, Buffer.alloc(100_000, `${rounds}`));
      await send(server, 'DELETE', 'drive/files', JSON.stringify({ names: [`busy${(rounds + 3) % 7}`] }));
    }
  })();
  const first = await copyJson(['--from', folder, '--to', to]);
  assert.equal(first.code, 0, JSON.stringify(first.problems));
  const second = await copyJson(['--from', folder, '--to', to]);
  assert.equal(second.code, 0, JSON.stringify(second.problems));
  isWriting = false;
  await writer;
  assert.ok(rounds > 0);
  assert.equal(await server.stop(), 0);

  const last = await copyJson(['--from', folder, '--to', to]);
  assert.equal(last.code, 0);
  const none = await copyJson(['--from', folder, '--to', to, '--verify']);
  assert.equal(none.code, 0);
  assert.equal(none.rowsPut + none.rowsDeleted + none.blobsCopied + none.blobsDeleted + none.blobsMended, 0);
  const [[rows], [copied]] = [await contentOf(folder), await contentOf(to)];
  assert.deepEqual(copied, rows);
  assert.equal((await run(['check', '--data', to])).code, 0);
});

test('copy beside a server whose files are moved: every content has one name in the copy, and deleting a name takes no bytes from another', async (context) => {
  const folder = await temporaryFolder(context);
  const server = await startServer(context, ['--data', folder, '--key', key]);
  const client = await startMovingClient(server);
  const to = await temporaryFolder(context);
  for (let copies = 0; copies < 3; copies++) {
    const report = await copyJson(['--from', folder, '--to', to]);
    assert.equal(report.code, 0, JSON.stringify(report.problems));
    const checked = await run(['check', '--data', to]);
    assert.equal(checked.code, 0, checked.out);
    const names = (await namesIn(to)).filter((name) => !/^(copy|new)\//.test(name));
    assert.equal(names.length, 60);
    assert.equal(new Set(names.map((name) => name.split('/')[1])).size, 60);
  }
  const names = await client.stop();
  assert.ok(client.rounds() > 0);
  assert.equal(await server.stop(), 0);
  const last = await copyJson(['--from', folder, '--to', to]);
  assert.equal(last.code, 0);
  assert.deepEqual((await contentOf(to))[0], (await contentOf(folder))[0]);

  const copy = await startServer(context, ['--data', to, '--key', key]);
  await send(copy, 'DELETE', 'drive/files', JSON.stringify({ names: names.slice(0, 30) }));
  for (const name of names.slice(30)) {
    const headers = { 'X-API-Key': key };
    const answer = await fetch(`${copy.url}/v1/demo/drive/files/download?name=${name}`, { headers });
    assert.equal(answer.status, 200, name);
    assert.deepEqual(Buffer.from(await answer.arrayBuffer()), bytesOfFile(name));
  }
  assert.equal(await copy.stop(), 0);
  assert.equal((await run(['check', '--data', to])).code, 0);
});

test('copy moves rows and bytes to separate places, and back', async (context) => {
  const folder = await filledFolder(context);
  const rows = await temporaryFolder(context);
  const bytes = join(await temporaryFolder(context), 'bytes');
  assert.equal((await copyJson(['--from', folder, '--to', rows, bytes])).code, 0);
  assert.ok(!(await readdir(rows)).includes('blobs'));
  assert.deepEqual(await contentOf(rows, bytes), await contentOf(folder));

  const pair = ['--data', rows, '--blobs', bytes];
  const server = await startServer(context, [...pair, '--key', key]);
  const other = await run(['copy', '--from', rows, '--to', join(folder, 'other')]);
  assert.equal(other.code, 2);
  assert.match(other.err, /^basedrive: The running server stores its bytes in \S+: give that in --from/m);
  const back = await temporaryFolder(context);
  assert.equal((await copyJson(['--from', rows, bytes, '--to', back])).code, 0);
  assert.equal(await server.stop(), 0);
  assert.equal((await copyJson(['--from', rows, bytes, '--to', back])).code, 0);
  assert.deepEqual(await contentOf(back), await contentOf(folder));
});

test('copy names a damaged file, ends with exit code 1, and copies the rest', async (context) => {
  const folder = await filledFolder(context);
  for (const entry of await readdir(join(folder, 'blobs'), { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || (await stat(path)).size !== headerBytes + 300_000) continue;
    await writeFile(path, (await readFile(path)).fill(0, 1000, 1001));
  }
  const to = await temporaryFolder(context);
  const { code, out } = await run(['copy', '--from', folder, '--to', to]);
  assert.equal(code, 1);
  assert.match(
    out,
    /^Problems: 1\n"drive\/demo\/drive" "name\/large": its bytes, blob \S+, have another checksum$/m,
  );
  assert.equal((await run(['check', '--data', to])).code, 0);
});

test('copy leaves a destination in use alone', async (context) => {
  const folder = await filledFolder(context);
  const to = await temporaryFolder(context);
  const server = await startServer(context, ['--data', to, '--key', key]);
  const { code, err } = await run(['copy', '--from', folder, '--to', to, '--overwrite']);
  assert.equal(code, 2);
  assert.match(
    err,
    /^basedrive: --to: The data folder \S+ is in use by another process: stop it, or give another folder\n$/,
  );
  assert.equal((await fetch(`${server.url}/health`)).status, 200);
});

test('copy reads its addresses from variables too', async (context) => {
  const folder = await filledFolder(context);
  const [rows, bytes] = [await temporaryFolder(context), join(await temporaryFolder(context), 'bytes')];
  const variables = { BASEDRIVE_COPY_FROM: folder, BASEDRIVE_COPY_TO: ` ${rows}  ${bytes}` };
  assert.equal((await copyJson([], variables)).code, 0);
  assert.deepEqual(await contentOf(rows, bytes), await contentOf(folder));
});

test('copy refuses wrong addresses in one line, and creates nothing', async (context) => {
  const folder = await filledFolder(context);
  const empty = await temporaryFolder(context);
  const link = join(empty, 'link');
  await symlink(folder, link);
  const none = join(empty, 'none');
  const foreign = await temporaryFolder(context);
  await writeFile(join(foreign, 'notes.txt'), 'mine');
  // A data folder whose rows are on another disk.
  const linked = await temporaryFolder(context);
  await writeFile(join(linked, 'FORMAT'), '5\n');
  await symlink(join(folder, 'rows'), join(linked, 'rows'));
  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [['--from', folder, '--to', folder], /the same rows/],
    [['--from', folder, '--to', link], /the same rows/],
    [['--from', folder, '--to', none, join(link, 'blobs')], /the same bytes/],
    [['--from', folder, '--to', join(folder, 'standby')], /standby is inside \S+, the source itself: give/],
    [['--from', folder, '--to', none, join(link, 'rows')], /rows is inside \S+, the source itself: give/],
    [['--from', folder, '--to', none, link], /is inside \S+, the source itself: give/],
    [
      ['--from', linked, '--to', join(folder, 'rows', 'new')],
      /new is inside \S+rows, the source itself: give/,
    ],
    [['--from', none, '--to', join(empty, 'new')], /--from: there is no Basedrive store in/],
    [['--from', empty, '--to', join(empty, 'new')], /--from: there is no Basedrive store in/],
    [['--from', folder, none, '--to', join(empty, 'new')], /--from: there is no folder/],
    [['--from', folder, '--to', 's3://bucket'], /--to: the address of the rows must be postgres/],
    [['--from', folder, '--to', 'postgres://u:s3cr3t@h/d'], /--to: give the address of the bytes as well$/m],
    [['--from', folder, '--to', none, 'http://u:s3cr3t@h/d'], /--to: the address of the bytes must be s3:/],
    [['--from', folder, '--to', none, none, none], /--to: at most two addresses/],
    [['--from', folder, '--to', ''], /--to: must not be empty/],
    [['--from', folder], /--to: give a data folder, or the addresses/],
    [['--from', folder, '--to', foreign], /The folder \S+ is not empty and holds no Basedrive store/],
  ];
  for (const [options, message] of wrong) {
    const { code, out, err } = await run(['copy', ...options]);
    assert.equal(code, 2, err);
    assert.equal(out, '');
    assert.match(err, message);
    assert.match(err, /^basedrive: [^\n]+\n$/);
    assert.ok(!err.includes('s3cr3t'));
  }
  assert.deepEqual(await readdir(empty), ['link']);
  assert.deepEqual(await readdir(foreign), ['notes.txt']);
});
