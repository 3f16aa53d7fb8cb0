import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { headerBytes } from '../../src/engines/fs/packs/record.js';
import { openFsBlobStore } from '../../src/engines/fs/store.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import { randomId } from '../../src/lib/random-id.js';
import type { CheckReport } from '../../src/store/check/report.js';
import { run, startServer, temporaryFolder } from '../support/run-cli.js';

const key = 'demo_s3cret';
const mib = 1024 * 1024;

/** A folder with two items, a small and a large file, one of two parts, and an open upload. */
async function filledFolder(context: TestContext): Promise<string> {
  const folder = await temporaryFolder(context);
  const server = await startServer(context, ['--data', folder, '--key', key]);
  const send = async (method: string, path: string, body?: string | Buffer) => {
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
    const answer = await fetch(`${server.url}/v1/demo/${path}`, { method, headers, body: body ?? null });
    assert.ok(answer.ok, `${method} ${path}: ${answer.status}`);
    return (await answer.json()) as { upload_id: string };
  };
  await send('PUT', 'base/items', '{"items":[{"key":"a"},{"key":"b","__expires":4102444800}]}');
  await send('POST', 'drive/files?name=small', 'small');
  await send('POST', 'drive/files?name=large', Buffer.alloc(300_000, 'l'));
  for (const name of ['joined', 'open']) {
    const { upload_id: id } = await send('POST', `drive/uploads?name=${name}`);
    await send('POST', `drive/uploads/${id}/parts?name=${name}&part=1`, Buffer.alloc(5 * mib, 'p'));
    await send('POST', `drive/uploads/${id}/parts?name=${name}&part=2`, Buffer.from('tail'));
    if (name === 'joined') await send('PATCH', `drive/uploads/${id}?name=${name}`);
  }
  assert.equal(await server.stop(), 0);
  return folder;
}

async function check(folder: string, ...options: string[]): Promise<CheckReport & { code: number | null }> {
  const { code, out, err } = await run(['check', '--json', '--data', folder, ...options]);
  assert.equal(err, '');
  return { ...(JSON.parse(out) as CheckReport), code };
}

async function blobFiles(folder: string): Promise<string[]> {
  const names = await readdir(join(folder, 'blobs'), { recursive: true, withFileTypes: true });
  return names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function blobOfSize(folder: string, sizeBytes: number): Promise<string> {
  for (const file of await blobFiles(folder)) if ((await stat(file)).size === sizeBytes) return file;
  throw new Error(`There is no blob of ${sizeBytes} bytes`);
}

async function addBlob(folder: string, bytes: string): Promise<string> {
  const id = randomId();
  await mkdir(join(folder, 'blobs', id.slice(0, 2)), { recursive: true });
  await writeFile(join(folder, 'blobs', id.slice(0, 2), id), bytes);
  return id;
}

test('check reports nothing for a whole store', async (context) => {
  const folder = await filledFolder(context);
  const { code, out } = await run(['check', '--data', folder]);
  assert.equal(code, 0);
  assert.match(out, /^Read 2 items, 3 files and 2 parts of 1 open upload; [\d,]+ bytes compared/);
  assert.match(out, /\nNothing is wrong$/m);
  const { problems, bytes, ...counts } = await check(folder);
  assert.deepEqual(problems, []);
  assert.equal(bytes, 5 + 300_000 + 2 * (5 * mib + 4));
  assert.equal(counts.code, 0);
});

test('check misses no bytes of an aborted upload: they are deleted before their rows', async (context) => {
  const folder = await filledFolder(context);
  const items = await openLevelStore({ folder: join(folder, 'rows'), create: false });
  const space = 'drive/demo/drive';
  let part = '';
  for await (const batch of items.scan(space, { prefix: 'part/' })) part ||= batch[0]?.key ?? '';
  const [, upload = ''] = part.split('/');
  const { id } = JSON.parse(String(await items.get(space, part))) as { id: string };
  await items.close();
  await unlink(join(folder, 'blobs', id.slice(0, 2), id));
  const { problems, code } = await check(folder);
  assert.deepEqual([code, problems.map(({ key }) => key)], [1, [part]]);
  const again = await openLevelStore({ folder: join(folder, 'rows'), create: false });
  const garbage = { key: `garbage/${upload}`, value: Buffer.from('{"layout":"upload"}') };
  await again.transact(space, [], () => ({
    puts: [garbage],
    deletes: [`upload/${upload}`],
    result: undefined,
  }));
  await again.close();
  assert.deepEqual((await check(folder)).problems, []);
});

test('check reports missing, cut and changed bytes and unreadable rows, each with its place', async (context) => {
  const folder = await filledFolder(context);
  // The only blob of its pack.
  const large = await blobOfSize(folder, headerBytes + 300_000);
  const expectOnly = async (where: string, name: string, problem: RegExp) => {
    const report = await check(folder);
    assert.equal(report.code, 1);
    assert.equal(report.problemCount, 1, JSON.stringify(report.problems));
    const [found] = report.problems;
    assert.deepEqual([found?.where, found?.key], [where, name]);
    assert.match(found?.problem ?? '', problem);
  };
  const bytes = await readFile(large);
  const changed = Buffer.from(bytes);
  changed[headerBytes + 200_000] = 0;
  await writeFile(large, changed);
  await expectOnly('drive/demo/drive', 'name/large', /another checksum/);
  await writeFile(large, bytes.subarray(0, -1));
  await expectOnly('drive/demo/drive', 'name/large', /ends at 299999, before 300000/);
  await unlink(large);
  await expectOnly('drive/demo/drive', 'name/large', /missing/);
  await writeFile(large, bytes);
  assert.equal((await check(folder)).code, 0);

  const parts = (await blobFiles(folder)).filter((file) => file !== large);
  for (const part of parts) await writeFile(part, Buffer.alloc(5 * mib, 'q'));
  const { problems } = await check(folder);
  assert.deepEqual(
    problems.map((problem) => problem.key.replace(/[0-9a-f]{32}/, 'ID')),
    ['name/joined', 'part/ID/00001'],
  );
  for (const part of parts) await writeFile(part, Buffer.alloc(5 * mib, 'p'));

  const items = await openLevelStore({ folder: join(folder, 'rows'), create: true });
  const value = Buffer.from('{"key":"other"}');
  await items.transact('base/demo/base', [], () => ({ puts: [{ key: 'a', value }], result: undefined }));
  await items.close();
  await expectOnly('base/demo/base', 'a', /another key/);
  const { code, out } = await run(['check', '--data', folder]);
  assert.equal(code, 1);
  assert.match(out, /^Problems: 1\n"base\/demo\/base" "a": its row holds an item with another key$/m);
});

test('check --repair moves blobs without a row into quarantine with their bytes, and leaves the others', async (context) => {
  const folder = await filledFolder(context);
  const owned = (await blobFiles(folder)).sort();
  const id = await addBlob(folder, 'nobody owns this');
  const found = await check(folder);
  assert.equal(found.code, 1);
  assert.deepEqual(found.problems, [{ where: 'blobs', key: id, problem: 'no row owns it' }]);
  assert.ok(
    (await blobFiles(folder)).some((file) => file.endsWith(id)),
    'nothing moves without --repair',
  );

  const repaired = await check(folder, '--repair');
  assert.deepEqual([repaired.code, repaired.problemCount, repaired.quarantine], [0, 0, 1]);
  assert.equal(await readFile(join(repaired.quarantineFolder ?? '', id), 'utf8'), 'nobody owns this');
  assert.ok(repaired.quarantineFolder?.startsWith(join(folder, 'set-aside')));
  assert.deepEqual((await blobFiles(folder)).sort(), owned);
  assert.equal((await check(folder)).code, 0);
});

test('check --repair moves a blob without a row out of its pack, and leaves those that share it', async (context) => {
  const folder = await filledFolder(context);
  const blobs = await openFsBlobStore(join(folder, 'blobs'), { isAlone: true });
  const { id } = await blobs.add([Buffer.from('nobody owns this')]);
  await blobs.close();
  assert.deepEqual((await check(folder)).problems, [{ where: 'blobs', key: id, problem: 'no row owns it' }]);
  const repaired = await check(folder, '--repair');
  assert.deepEqual([repaired.code, repaired.problemCount, repaired.quarantine], [0, 0, 1]);
  assert.equal(await readFile(join(repaired.quarantineFolder ?? '', id), 'utf8'), 'nobody owns this');
  assert.equal((await check(folder)).code, 0);
});

test('check beside a server finds files that share their bytes; with --repair, deleting one leaves the other whole', async (context) => {
  const folder = await filledFolder(context);
  const items = await openLevelStore({ folder: join(folder, 'rows'), create: false });
  const space = 'drive/demo/drive';
  for (const name of ['small', 'large', 'joined']) {
    const value = (await items.get(space, `name/${name}`)) ?? assert.fail(name);
    const puts = [{ key: `name/moved/${name}`, value }];
    await items.transact(space, [], () => ({ puts, result: undefined }));
  }
  await items.close();
  // And the counter knows nothing of the names that were put without it.
  assert.equal((await check(folder)).problemCount, 3 + 1);
  const server = await startServer(context, ['--data', folder, '--key', key]);
  const found = await run(['check', '--data', folder]);
  assert.equal(found.code, 1);
  assert.match(found.out, /"name\/small": its bytes, [0-9a-f]{32}, are those of "name\/moved\/small", too$/m);
  const repaired = await run(['check', '--data', folder, '--repair']);
  assert.equal(repaired.code, 0, repaired.out);
  assert.match(repaired.out, /^3 rows shared bytes with another one: each file and part has its own now$/m);
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
  const files = `${server.url}/v1/demo/drive/files`;
  const body = '{"names":["small","large","joined"]}';
  assert.equal((await fetch(files, { method: 'DELETE', headers, body })).status, 200);
  for (const [name, size] of [
    ['small', 5],
    ['large', 300_000],
    ['joined', 5 * mib + 4],
  ] as const) {
    const answer = await fetch(`${files}/download?name=moved/${name}`, { headers });
    assert.deepEqual([answer.status, (await answer.arrayBuffer()).byteLength], [200, size]);
  }
  assert.equal(await server.stop(), 0);
  assert.equal((await check(folder)).code, 0);
});

test('check takes no blob for an orphan if a row cannot be read', async (context) => {
  const folder = await filledFolder(context);
  const id = await addBlob(folder, 'perhaps somebody owns this');
  const items = await openLevelStore({ folder: join(folder, 'rows'), create: true });
  const value = Buffer.from('{"id":');
  await items.transact('drive/demo/drive', [], () => ({
    puts: [{ key: 'name/broken', value }],
    result: undefined,
  }));
  await items.close();
  const report = await check(folder, '--repair');
  assert.equal(report.code, 1);
  assert.equal(report.quarantine, 0);
  const [row, , blobs] = report.problems.map(({ problem }) => problem);
  assert.match(row ?? '', /^its row cannot be read/);
  assert.match(blobs ?? '', /^blobs without an owner were not looked for/);
  assert.ok((await blobFiles(folder)).some((file) => file.endsWith(id)));
});

test('check compares the checksums of all rows beside a server: a flipped bit is reported with its file and its place', async (context) => {
  const folder = await filledFolder(context);
  const id = await addBlob(folder, 'perhaps somebody owns this');
  const twoHoursAgo = Date.now() / 1000 - 7200;
  await startServer(context, ['--data', folder, '--key', key]);
  // The sweep of the start is over before this: later, it would remove the blob.
  assert.equal((await check(folder)).code, 0);
  // Opening the store has written the rows of its log into a table.
  const rows = join(folder, 'rows');
  const table = (await readdir(rows)).find((name) => name.endsWith('.ldb')) ?? '';
  const bytes = await readFile(join(rows, table));
  bytes[3] = (bytes[3] as number) ^ 1;
  await writeFile(join(rows, table), bytes);
  await utimes(join(folder, 'blobs', id.slice(0, 2), id), twoHoursAgo, twoHoursAgo);
  const report = await check(folder, '--repair');
  assert.equal(report.code, 1);
  const problem = 'the checksum of the block does not match';
  assert.deepEqual(report.problems[0], { where: 'rows', key: `${table}, byte 0`, problem });
  assert.match(report.problems.at(-1)?.problem ?? '', /^blobs without an owner were not looked for/);
  assert.ok((await blobFiles(folder)).some((file) => file.endsWith(id)));
});

test('check beside a running server works through it, and leaves a young blob alone', async (context) => {
  const folder = await filledFolder(context);
  const old = await addBlob(folder, 'old');
  const twoHoursAgo = Date.now() / 1000 - 7200;
  const server = await startServer(context, ['--data', folder, '--key', key, '--log-level', 'info']);
  const young = await addBlob(folder, 'young');
  // Young until the sweep of the start is over: it takes no longer than the whole check after it.
  await check(folder);
  await utimes(join(folder, 'blobs', old.slice(0, 2), old), twoHoursAgo, twoHoursAgo);
  const found = await check(folder);
  assert.deepEqual(
    found.problems.map((problem) => problem.key),
    [old],
  );
  const repaired = await check(folder, '--repair');
  assert.deepEqual([repaired.code, repaired.quarantine], [0, 1]);
  assert.ok((await blobFiles(folder)).some((file) => file.endsWith(young)));
  const answer = await fetch(`${server.url}/v1/demo/drive/files/download?name=large`, {
    headers: { 'X-API-Key': key },
  });
  assert.equal((await answer.arrayBuffer()).byteLength, 300_000);
});

test('check refuses a folder without a store, and creates nothing in it', async (context) => {
  const parent = await temporaryFolder(context);
  for (const folder of [parent, join(parent, 'none')]) {
    const { code, err } = await run(['check', '--data', folder]);
    assert.equal(code, 2);
    assert.match(
      err,
      /^basedrive: There is no Basedrive store in \S+: correct the folder, or start a server on it first\n$/,
    );
  }
  assert.deepEqual(await readdir(parent), []);
});
