import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ExportReport, ImportReport } from '#client/node';
import { filesOf } from '../support/level-folder.js';
import { type RunningServer, run, startServer, temporaryFolder } from '../support/run-cli.js';
import { assertSameFiles } from '../support/same-files.js';
import { filledFolder, key, send } from '../support/served-copy.js';

const main = fileURLToPath(new URL('../../src/main.js', import.meta.url));

async function exported(options: readonly string[], variables = {}): Promise<ExportReport> {
  const { code, out, err } = await run(['export', '--json', ...options], variables);
  assert.equal(code, 0, err);
  return JSON.parse(out) as ExportReport;
}

async function imported(options: readonly string[], variables = {}): Promise<ImportReport> {
  const { code, out, err } = await run(['import', '--json', ...options], variables);
  assert.equal(code, 0, out + err);
  return JSON.parse(out) as ImportReport;
}

const files = 400;
let filled: Promise<RunningServer> | undefined;
after(async () => (await filled)?.stop());

/**
 * A server with some thousand items, and files of several sizes: the same for all tests that ask for it, which leave its
 * files as they are.
 */
function filledServer(): Promise<RunningServer> {
  filled ??= fillServer();
  return filled;
}

async function fillServer(): Promise<RunningServer> {
  const server = await startServer({ after: () => {} }, ['--memory', '--key', key]);
  for (let at = 0; at < 3000; at += 100) {
    const lines = Array.from({ length: 100 }, (_, n) => `{"key":"${at + n}","text":"${'x'.repeat(2000)}"}\n`);
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/x-ndjson' };
    await fetch(`${server.url}/v1/demo/base/items`, { method: 'PUT', headers, body: lines.join('') });
  }
  for (let n = 0; n < files; n++) await putFile(server, n);
  return server;
}

async function putFile(server: RunningServer, n: number): Promise<void> {
  const bytes = Buffer.alloc(n % 20 === 0 ? 3_000_000 : 3000, `${n}`);
  await send(server, 'POST', `drive/files?name=${n}`, bytes);
}

/** Waits until an export has written so many files to a folder. */
async function hasWritten(child: ChildProcess, folder: string, files: number): Promise<void> {
  const journal = join(folder, 'basedrive.partial/journal');
  const written = async () => (await readFile(journal, 'utf8').catch(() => '')).split('"etag"').length - 1;
  while (child.exitCode === null && (await written()) < files)
    await new Promise((resolve) => setImmediate(resolve));
}

test('export and import beside a server, over the network, and without a server give the same', async (context) => {
  const folder = await filledFolder(context);
  const to = await temporaryFolder(context);
  const path = (name: string) => join(to, name);
  await exported([path('stopped'), '--data', folder]);
  const server = await startServer(context, ['--data', folder, '--key', key]);
  const report = await exported([path('running'), '--data', folder]);
  assert.deepEqual([report.project, report.items, report.files, report.reused], ['demo', 2, 3, 0]);
  await exported([path('url'), '--url', server.url], { BASEDRIVE_KEY: key });
  await exported([path('variable')], { BASEDRIVE_KEY: key, BASEDRIVE_URL: server.url });
  const keyFile = join(to, 'key');
  await writeFile(keyFile, `${key}\n`);
  await exported([path('all.zip'), '--url', server.url, '--key-file', keyFile]);
  for (const name of ['running', 'url', 'variable']) await assertSameFiles(path(name), path('stopped'));
  assert.equal((await stat(path('running'))).mode & 0o77, 0);
  await promisify(execFile)('unzip', ['-q', path('all.zip'), '-d', path('unzipped')]);
  await assertSameFiles(path('unzipped'), path('stopped'));

  assert.equal((await imported([path('all.zip'), '--data', folder, '--project', 'other'])).files, 3);
  const several = await run(['export', path('several'), '--data', folder]);
  assert.equal(several.code, 2);
  assert.match(several.err, /^basedrive: The store holds several projects: say .* \(demo, other\)$/m);
  await exported([path('other'), '--data', folder, '--project', 'other']);
  await assertSameFiles(path('other'), path('stopped'));
  assert.equal(await server.stop(), 0);

  assert.equal((await imported([path('stopped'), '--data', folder, '--project', 'third'])).items, 2);
  await exported([path('third.zip'), '--data', folder, '--project', 'third']);
  assert.equal((await imported([path('third.zip'), '--data', folder, '--project', 'third'])).filesKept, 3);
  assert.equal((await run(['check', '--data', folder])).code, 0);
});

test('what the old service wrote goes in unchanged: arrays, objects with items, lines, in a folder or an archive', async (context) => {
  const folder = await temporaryFolder(context);
  const server = await startServer(context, ['--data', folder, '--key', key]);
  const old = join(await temporaryFolder(context), 'a0abcxyz');
  await mkdir(join(old, 'bases'), { recursive: true });
  await mkdir(join(old, 'drives/photos/2023'), { recursive: true });
  await writeFile(
    join(old, 'bases/users.json'),
    JSON.stringify([{ key: 'ada', age: 36 }, { key: 'bob' }], null, 2),
  );
  await writeFile(join(old, 'bases/carts.json'), '{"items":[{"key":"c1","items":["tea"],"price":1.50}]}');
  await writeFile(join(old, 'bases/log.ndjson'), '{"key":"1"}\n{"key":"2"}\n');
  await writeFile(join(old, 'drives/photos/2023/cat.png'), 'not really a cat');
  const zip = `${old}.zip`;
  await promisify(execFile)('zip', ['-qr', zip, 'a0abcxyz'], { cwd: join(old, '..') });
  for (const [from, project] of [
    [old, 'folder'],
    [zip, 'archive'],
  ] as const) {
    const report = await imported([from, '--data', folder, '--project', project]);
    assert.deepEqual([report.items, report.files, report.ignored, report.fromPaths], [5, 1, 0, true]);
    const to = join(await temporaryFolder(context), project);
    await exported([to, '--data', folder, '--project', project]);
    assert.equal(
      await readFile(join(to, 'bases/users.json'), 'utf8'),
      '[\n{"key":"ada","age":36},\n{"key":"bob"}\n]\n',
    );
    assert.match(await readFile(join(to, 'bases/carts.json'), 'utf8'), /"price":1\.50/);
    assert.match(await readFile(join(to, 'basedrive.json'), 'utf8'), /"content_type":"image\/png"/);
  }
  // The report says so, and that is no failure.
  const { code, out } = await run(['import', old, '--data', folder, '--project', 'text']);
  assert.equal(code, 0);
  assert.match(out, /^Took names and content types from the paths: there is no basedrive\.json, /m);
  // A whole folder may be put around everything, and one file of items has its base on the command line.
  assert.equal((await imported([join(old, '..'), '--data', folder, '--project', 'around'])).items, 5);
  const lines = join(old, 'bases/log.ndjson');
  const single = await imported([lines, '--base', 'log2', '--data', folder, '--project', 'one']);
  assert.deepEqual([single.items, single.fromPaths], [2, false]);
  assert.equal(await server.stop(), 0);
});

test('only what is selected is exported and imported; what exists can be kept', async (context) => {
  const folder = await filledFolder(context);
  const to = await temporaryFolder(context);
  const one = await exported([join(to, 'one'), '--data', folder, '--base', 'base']);
  assert.deepEqual([one.bases, one.drives], [1, 0]);
  const none = await run([
    'export',
    join(to, 'none'),
    '--data',
    folder,
    '--drive',
    'drive',
    '--drive',
    'missing',
  ]);
  assert.equal(none.code, 1);
  assert.match(none.out, /^"missing": there is nothing of this name$/m);
  await exported([join(to, 'all'), '--data', folder]);
  const given = [join(to, 'all'), '--data', folder, '--project', 'other'];
  const files = await imported([...given, '--drive', 'drive']);
  assert.deepEqual([files.items, files.files], [0, 3]);
  const rest = await imported([...given, '--keep-existing']);
  assert.deepEqual([rest.items, rest.itemsKept, rest.files, rest.filesKept], [2, 0, 0, 3]);
  const kept = await imported([...given, '--keep-existing']);
  assert.deepEqual([kept.items, kept.itemsKept, kept.files, kept.filesKept], [0, 2, 0, 3]);
});

test('an export with a limited key says what the key reads, and what it could not read', async (context) => {
  const server = await startServer(context, ['--memory', '--key', key]);
  await send(server, 'PUT', 'shop-goods/items', '{"items":[{"key":"tea"}]}');
  await send(server, 'PUT', 'users/items', '{"items":[{"key":"ada"}]}');
  const limits = { access: 'read', bases: ['shop-*', 'a"b'], drives: ['photos'], prefix: 't' };
  const { key: limited } = (await send(server, 'POST', 'keys', JSON.stringify(limits))) as unknown as {
    key: string;
  };
  const to = await temporaryFolder(context);
  const words = ['export', join(to, 'part'), '--url', server.url, '--base', 'shop-goods', '--base', 'users'];
  const { code, out } = await run(words, { BASEDRIVE_KEY: limited });
  assert.equal(code, 1);
  const [first, ...rest] = out.trimEnd().split('\n');
  assert.match(first ?? '', /^Exported 1 item of 1 base and 0 files of 0 drives of project demo to /);
  assert.deepEqual(rest, [
    '"users": Forbidden: the base is beyond the scope of the key',
    'The key reads only bases "shop-*", "a\\"b" and drives "photos", and there what begins with "t": nothing else is in the export',
  ]);
  const back = await run(['import', join(to, 'part'), '--url', server.url], { BASEDRIVE_KEY: limited });
  assert.equal(back.code, 2);
  assert.match(back.err, /^basedrive: \S+: the key may only read, and an import writes\n$/);
});

test('a killed export to a folder goes on, and ends as if it had not been interrupted', async (context) => {
  const server = await filledServer();
  const folder = join(await temporaryFolder(context), 'export');
  const options = ['export', '--url', server.url, folder];
  const variables = { PATH: process.env.PATH, BASEDRIVE_KEY: key };
  const child = spawn(process.execPath, [main, ...options], { env: variables, stdio: 'ignore' });
  const ended = once(child, 'exit');
  await hasWritten(child, folder, 50);
  child.kill('SIGKILL');
  await ended;
  assert.ok((await readdir(folder)).includes('basedrive.partial'), 'it was killed in the middle');

  context.after(async () => {
    for (const n of [0, 1]) await putFile(server, n);
  });
  // In the meantime a file is overwritten and another one deleted: the export has neither of the old ones.
  await send(server, 'POST', 'drive/files?name=0', Buffer.from('new'));
  await send(server, 'DELETE', 'drive/files', JSON.stringify({ names: ['1'] }));
  const report = await exported(['--url', server.url, folder], { BASEDRIVE_KEY: key });
  assert.ok(report.reused >= 40, `${report.reused} files were there`);
  const whole = join(await temporaryFolder(context), 'whole');
  assert.equal((await exported(['--url', server.url, whole], { BASEDRIVE_KEY: key })).reused, 0);
  await assertSameFiles(folder, whole);

  const again = await run(options, variables);
  assert.equal(again.code, 2);
  assert.match(again.err, /holds an export that is complete: give another folder$/m);
});

test('an export takes all but damaged files and items, and it and its import name these', async (context) => {
  const folder = await temporaryFolder(context);
  const options = ['--data', folder, '--key', key];
  const filling = await startServer(context, options);
  const keys = Array.from({ length: 2000 }, (_, n) => `item-${String(n).padStart(5, '0')}`);
  // Random texts: LevelDB stores blocks that it cannot compress as they are.
  for (let at = 0; at < keys.length; at += 25) {
    const items = keys
      .slice(at, at + 25)
      .map((one) => ({ key: one, text: randomBytes(150).toString('base64') }));
    await send(filling, 'PUT', 'base/items', JSON.stringify({ items }));
  }
  for (const name of ['small', 'whole'])
    await send(filling, 'POST', `drive/files?name=${name}`, Buffer.alloc(100_000, name));
  await send(filling, 'POST', 'drive/files?name=large', Buffer.alloc(9_000_000, 'large'));
  await filling.stop();
  // A start writes the log's rows into a table.
  await (await startServer(context, options)).stop();
  const server = await startServer(context, options);
  const other = await startServer(context, ['--data', await temporaryFolder(context), '--key', key]);
  await flipAfter(await filesBelow(join(folder, 'blobs')), Buffer.alloc(50, 'small'), 1000);
  await flipAfter(await filesBelow(join(folder, 'blobs')), Buffer.alloc(50, 'large'), 6_000_000);
  await flipAfter(await filesOf(join(folder, 'rows'), '.ldb'), Buffer.from('item-01000'), 100);

  for (const name of ['to', 'to.zip']) {
    const to = join(folder, name);
    const { code, out, err } = await run(['export', '--json', to, '--data', folder]);
    assert.equal(code, 1, err);
    const report = JSON.parse(out) as ExportReport;
    const [base, ...files] = report.leftOut;
    const [, after = '', before = ''] =
      /^damaged items after "(.*)" and before "(.*)"$/.exec(base?.problem ?? '') ?? [];
    const lost = keys.filter((one) => one > after && one < before);
    assert.ok(lost.includes('item-01000') && lost.length < 100, base?.problem);
    assert.deepEqual([report.items, report.files, report.leftOutCount], [keys.length - lost.length, 1, 3]);
    const rest = name === 'to' ? '' : /: the archive has its first \d+ bytes only$/.source;
    assert.deepEqual(
      files.map((one) => ('name' in one ? [one.drive, one.name] : [])),
      [
        ['drive', 'large'],
        ['drive', 'small'],
      ],
    );
    assert.match(files[0]?.problem ?? '', new RegExp(`^Stored data is damaged${rest}`));
    assert.equal(files[1]?.problem, 'Stored data is damaged');

    const into = await temporaryFolder(context);
    const second = await startServer(context, ['--data', into, '--key', key]);
    const back = await run(['import', '--json', to, '--data', into, '--project', 'demo']);
    assert.equal(back.code, 1, back.err);
    const imported = JSON.parse(back.out) as ImportReport;
    assert.deepEqual([imported.items, imported.files], [report.items, 1]);
    const isLost = 'was damaged in the store that was exported: it is not in the export';
    assert.deepEqual(
      imported.setAside.sort((one, other) => (one.path < other.path ? -1 : 1)),
      [
        {
          path: 'bases/base.json',
          problem: `is not whole: in the store that was exported, items after "${after}" and before "${before}" were damaged`,
        },
        { path: 'drives/drive/large', problem: isLost },
        { path: 'drives/drive/small', problem: isLost },
      ],
    );
    await second.stop();
  }
  // A good copy of a file may be put in its place; the beginning of one is none.
  await mkdir(join(folder, 'to/drives/drive'), { recursive: true });
  await writeFile(join(folder, 'to/drives/drive/small'), Buffer.alloc(100_000, 'small'));
  await writeFile(join(folder, 'to/drives/drive/large'), 'large');
  const repaired = await run(
    ['import', '--json', join(folder, 'to'), '--drive', 'drive', '--accept-changes', '--url', other.url],
    { BASEDRIVE_KEY: key },
  );
  const { files, setAside } = JSON.parse(repaired.out) as ImportReport;
  assert.deepEqual([files, setAside.map(({ path }) => path)], [2, ['drives/drive/large']]);
  const text = await run(['export', join(folder, 'again'), '--data', folder]);
  assert.equal(text.code, 1);
  assert.match(text.out, /^"base": damaged items after "item-\d+" and before "item-\d+"$/m);
  assert.match(text.out, /^"small" of drive "drive": Stored data is damaged$/m);
  await server.stop();
});

test('an export that finds the names of projects damaged says that --project helps', async (context) => {
  const folder = await temporaryFolder(context);
  const options = ['--data', folder, '--key', key];
  const filling = await startServer(context, options);
  const items = [{ key: 'only', text: randomBytes(900).toString('base64') }];
  await send(filling, 'PUT', 'base/items', JSON.stringify({ items }));
  await filling.stop();
  const server = await startServer(context, options);
  await flipAfter(await filesOf(join(folder, 'rows'), '.ldb'), Buffer.from('only'), 100);
  const without = await run(['export', join(folder, 'to'), '--data', folder]);
  assert.equal(without.code, 2, without.out);
  assert.match(without.err, /: the names of the projects cannot be read: say which one with --project$/m);
  const named = await run(['export', '--json', join(folder, 'to'), '--data', folder, '--project', 'demo']);
  assert.match(named.err, /name those to export \(--base, --drive; bases, drives\)$/m);
  const base = ['--base', 'base', '--drive', 'none'];
  const left = await run([
    'export',
    '--json',
    join(folder, 'to'),
    '--data',
    folder,
    '--project',
    'demo',
    ...base,
  ]);
  assert.equal(left.code, 1, left.err);
  assert.match(left.out, /"damaged items"/);
  await server.stop();
});

/** Flips a bit in the file that has this text, so many bytes after it. In place: a server has it open. */
async function flipAfter(files: readonly string[], sought: Buffer, further: number): Promise<void> {
  for (const file of files) {
    const bytes = await readFile(file);
    const at = bytes.indexOf(sought);
    if (at < 0) continue;
    bytes[at + further]! ^= 4;
    return await writeFile(file, bytes, { flag: 'r+' });
  }
  assert.fail(`${sought} is in none of ${files}`);
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

test('what a killed export to an archive has left is removed by the next one to that archive', async (context) => {
  const server = await filledServer();
  const folder = await temporaryFolder(context);
  const options = ['--url', server.url, join(folder, 'all.zip')];
  const variables = { PATH: process.env.PATH, BASEDRIVE_KEY: key };
  const child = spawn(process.execPath, [main, 'export', ...options], { env: variables, stdio: 'ignore' });
  const ended = once(child, 'exit');
  while (child.exitCode === null && (await readdir(folder)).length < 2)
    await new Promise((resolve) => setImmediate(resolve));
  child.kill('SIGKILL');
  await ended;
  assert.equal((await readdir(folder)).length, 2, 'it was killed in the middle');
  await exported(options, { BASEDRIVE_KEY: key });
  assert.deepEqual(await readdir(folder), ['all.zip']);
});

/** Presses Ctrl-C once `isBusy` resolves, and gives how the command ended. */
async function interrupted(options: readonly string[], isBusy: (child: ChildProcess) => Promise<void>) {
  const env = { PATH: process.env.PATH, BASEDRIVE_KEY: key };
  const child = spawn(process.execPath, [main, ...options], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const err = text(child.stderr);
  const ended = once(child, 'exit');
  await isBusy(child);
  child.kill('SIGINT');
  const [code] = (await ended) as [number | null];
  const lines = (await err).trim().split('\n');
  return { code, told: lines.at(-1) };
}

test('an export to a folder that Ctrl-C ends says that it goes on, and does', async (context) => {
  const server = await filledServer();
  const folder = join(await temporaryFolder(context), 'export');
  const ended = await interrupted(['export', '--url', server.url, folder], (child) =>
    hasWritten(child, folder, 50),
  );
  assert.deepEqual(ended, {
    code: 130,
    told: 'basedrive: Interrupted: run the same command again, and the export goes on',
  });
  const report = await exported(['--url', server.url, folder], { BASEDRIVE_KEY: key });
  assert.ok(report.reused >= 40 && report.files === files, `${report.reused} of ${report.files}`);
});

test('an export to an archive that Ctrl-C ends leaves nothing; an import says that it has stored a part', async (context) => {
  const server = await filledServer();
  const folder = await temporaryFolder(context);
  const hasBegun = async () => {
    while ((await readdir(folder)).length === 0) await new Promise((resolve) => setImmediate(resolve));
  };
  assert.deepEqual(await interrupted(['export', '--url', server.url, join(folder, 'all.zip')], hasBegun), {
    code: 130,
    told: 'basedrive: Interrupted: nothing is left of the archive; an export to a folder can go on later',
  });
  assert.deepEqual(await readdir(folder), []);

  const to = join(folder, 'all');
  await exported(['--url', server.url, to], { BASEDRIVE_KEY: key });
  const other = await startServer(context, ['--memory', '--key', key]);
  const hasStored = async () => {
    const stored = () =>
      fetch(`${other.url}/v1/demo/base/items/0`, { headers: { 'X-API-Key': key } }).then(({ ok }) => ok);
    while (!(await stored()));
  };
  assert.deepEqual(await interrupted(['import', '--url', other.url, to], hasStored), {
    code: 130,
    told: 'basedrive: Interrupted: a part of it is stored; run the same command again to store the whole',
  });
});

test('export and import refuse wrong use in one line, and create nothing', async (context) => {
  const folder = await filledFolder(context);
  const empty = await temporaryFolder(context);
  const full = await temporaryFolder(context);
  await writeFile(join(full, 'notes.txt'), 'mine');
  const to = join(empty, 'to');
  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [['export', full, '--data', folder], /The folder \S+ is not empty$/m],
    [['export', join(full, 'notes.txt'), '--data', folder], /cannot be used/],
    [['export', to, '--data', empty], /There is no Basedrive store in/],
    [['export', to, '--url', 'http://127.0.0.1:1'], /The server needs a key: put it in a file/],
    [['export', to, '--url', 'http://127.0.0.1:1', '--key', key], /cannot be reached/],
    [['export', to, '--url', 'ftp://x', '--key', key], /--url ftp:\/\/x: must be the address of a server/],
    [['export', to, '--url', 'http://x', '--data', folder], /leave out --data/],
    [['export', to, '--url', 'http://x', '--key', key, '--key', 'b_c'], /keys of several projects/],
    [['export', to, '--data', folder, '--project', 'a/b'], /--project a\/b: a project has 1 to 64/],
    [['export', to, '--data', folder, '--project', 'dmeo'], /The store holds nothing of project dmeo/],
    [['export', '', '--data', folder], /<to>: must not be empty/],
    [['export', 's3://bucket/x', '--data', folder], /<to>: must be a path on this machine/],
    [['import', '', '--data', folder], /<from>: must not be empty/],
    [['import', 'https://host/x.zip', '--data', folder], /<from>: must be a path on this machine/],
    [['import', to, '--data', folder], /cannot be read: ENOENT/],
    [['import', full, '--data', folder], /There is nothing to import in/],
    [
      ['import', join(full, 'notes.txt'), '--data', folder],
      /if it holds the items of a base, name it with --base/,
    ],
    [['import', full, '--data', folder, '--max-ratio', 'x'], /--max-ratio: must be a number/],
  ];
  for (const [options, message] of wrong) {
    const { code, out, err } = await run(options);
    assert.equal(code, 2, err);
    assert.equal(out, '');
    assert.match(err, message);
    assert.match(err, /^basedrive: [^\n]+\n$/);
    assert.ok(!err.includes('s3cret'));
  }
  await startServer(context, ['--data', folder]);
  const { code, err } = await run(['export', to, '--data', folder, '--project', 'dmeo']);
  assert.deepEqual([code, /holds nothing of project dmeo/.test(err)], [2, true], err);
  assert.deepEqual(await readdir(empty), []);
});

test('a project that was just created is exported empty, by a server or from its folder', async (context) => {
  const folder = await temporaryFolder(context);
  const to = await temporaryFolder(context);
  const server = await startServer(context, ['--data', folder, '--key', key]);
  assert.equal((await run(['projects', 'create', 'bakery', '--data', folder])).code, 0);
  const bakery = ['--data', folder, '--project', 'bakery'];
  const byServer = await exported([join(to, 'a'), ...bakery]);
  await server.stop();
  const fromFolder = await exported([join(to, 'b'), ...bakery]);
  for (const { bases, drives } of [byServer, fromFolder]) assert.deepEqual([bases, drives], [0, 0]);
});

test('the commands of docs/moving-in.md do what the page says', async (context) => {
  const page = await readFile(new URL('../../../../../docs/moving-in.md', import.meta.url), 'utf8');
  const [, section = ''] = page.split('\n## Export and import\n');
  const [, commands = '', , remote = ''] = section.split(/```(?:sh)?\n/);
  const folder = await temporaryFolder(context);
  const to = await temporaryFolder(context);
  const server = await startServer(context, ['--data', folder, '--key', 'shop_s3cret']);
  const body = '{"items":[{"key":"ada"},{"key":"bob"}]}';
  const headers = { 'X-API-Key': 'shop_s3cret', 'Content-Type': 'application/json' };
  await fetch(`${server.url}/v1/shop/users/items`, { method: 'PUT', headers, body });
  await writeFile(join(to, 'key'), 'shop_s3cret\n');

  const words = (line: string) =>
    line
      .replace(/\s+#.*$/, '')
      .replace('https://data.example', server.url)
      .split(' ')
      .map((word) => (word.startsWith('./') ? join(to, word) : word));
  const programs = (text: string) =>
    text.split('\n').flatMap((line) => line.split(' basedrive -- ')[1] ?? []);
  const local = programs(commands);
  assert.equal(local.length, 5);
  for (const command of local) {
    const { code, err } = await run([...words(command), '--data', folder]);
    assert.equal(code, 0, `${command}: ${err}`);
  }
  const [toServer = '', fromServer = ''] = programs(remote);
  const elsewhere = words(toServer).map((word) => (word.endsWith('backup') ? `${word}2` : word));
  assert.equal((await run(elsewhere, { BASEDRIVE_KEY: 'shop_s3cret' })).code, 0);
  const users = await readFile(join(to, 'backup2/bases/users.json'), 'utf8');
  assert.equal(users, '[\n{"key":"ada"},\n{"key":"bob"}\n]\n');
  assert.equal((await run(words(fromServer))).code, 0);
  const people = await fetch(`${server.url}/v1/shop/people/items`, { headers });
  assert.equal(await people.text(), '{"key":"ada"}\n{"key":"bob"}\n');
});
