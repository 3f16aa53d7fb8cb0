import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { backup, momentsIn, restore } from '../support/backups.js';
import { run, startServer, temporaryFolder } from '../support/run-cli.js';
import { contentOf, filledFolder } from '../support/served-copy.js';

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

test('backup and restore refuse wrong places in one line; a damaged backup is named', async (context) => {
  const folder = await filledFolder(context);
  const place = join(await temporaryFolder(context), 'backups');
  const empty = await temporaryFolder(context);
  const foreign = await temporaryFolder(context);
  await writeFile(join(foreign, 'notes.txt'), 'mine');
  // What a first backup leaves that was interrupted at once.
  const begun = await temporaryFolder(context);
  await mkdir(join(begun, 'ff'));
  const link = join(foreign, 'link');
  await symlink(folder, link);
  await backup(folder, place);
  // A data folder whose rows are on another disk.
  const linked = join(foreign, 'linked');
  await mkdir(linked);
  await symlink(join(folder, 'rows'), join(linked, 'rows'));
  const other = await filledFolder(context);
  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [['backup', foreign, '--data', folder], /is not empty and holds no backups$/m],
    [
      ['backup', join(other, 'blobs'), '--data', folder],
      /holds something other than backups, or has lost the file/,
    ],
    [
      ['backup', join(foreign, 'notes.txt'), '--data', folder],
      /notes\.txt cannot hold backups: it, or a part/,
    ],
    [['backup', join(foreign, 'notes.txt/sub'), '--data', folder], /sub cannot hold backups: it, or a part/],
    [
      ['backup', join(folder, 'blobs'), '--data', folder],
      /blobs is inside .*, the store itself: give a place/,
    ],
    [
      ['backup', join(folder, 'new/sub'), '--data', folder],
      /sub is inside .*, the store itself: give a place/,
    ],
    [['backup', join(link, 'new'), '--data', folder], /new is inside .*, the store itself: give a place/],
    [
      ['backup', join(folder, 'rows/new'), '--data', linked],
      /new is inside .*rows, the store itself: give a/,
    ],
    [['restore', place, '--data', join(place, 'new')], /new is inside the place of backups/],
    [['restore', join(foreign, 'notes.txt'), '--list'], /notes\.txt cannot hold backups/],
    [['backup', place, '--data', other], /holds the backups of another store: give another place$/m],
    [['backup', 'http://u:s3cret@h/', '--data', folder], /The place of backups must be/],
    [['backup', place, '--data', folder, '--keep', 'long'], /--keep long: must be a time with its unit/],
    [['backup', place, '--data', empty], /There is no Basedrive store in/],
    [['restore', join(empty, 'none'), '--data', join(empty, 'x')], /There is no backup in/],
    [['restore', begun, '--list'], /There is no backup in/],
    [['restore', foreign, '--data', join(empty, 'x')], /holds no backups$/m],
    [
      ['restore', place, '--data', join(empty, 'x'), '--at', '2020'],
      /There is no backup of 2020: see --list/,
    ],
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
  assert.ok(!(await readdir(empty)).includes('x'), 'no empty store is left, on which a server would start');

  // A byte of a file's blob, then one of the rows.
  for (const entry of await readdir(place, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || (await stat(path)).size !== 300_000) continue;
    await writeFile(path, (await readFile(path)).fill(0, 1000, 1001));
  }
  const { code, out } = await run(['restore', place, '--data', join(empty, 'damaged')]);
  assert.equal(code, 1);
  assert.match(out, /^Problems: 1\n"blobs" "[0-9a-f]{32}": its bytes, blob \S+, have another checksum$/m);
  const mended = await backup(folder, place, ['--verify']);
  assert.deepEqual([mended.blobsVerified, mended.blobsMended, mended.problemCount], [3, 1, 0]);
  await restore(place, join(empty, 'mended'));
});

test('the commands of docs/operations.md do what the page says', async (context) => {
  const page = await readFile(new URL('../../../../../docs/operations.md', import.meta.url), 'utf8');
  const [, section = ''] = page.split('\n## Backup\n');
  const [, block = ''] = section.split(/```(?:sh)?\n/);
  const commands = block.split('\n').flatMap((line) => line.split(' basedrive -- ')[1] ?? []);
  assert.equal(commands.length, 4);
  const data = await filledFolder(context);
  const folder = await temporaryFolder(context);
  const paths: Record<string, string> = { './data': data };
  // The bucket has a test with a real S3 store: test/engines/s3/backup.test.ts.
  for (const command of commands.filter((text) => !text.includes('s3://'))) {
    const words = command.split(' ');
    const given = words.map((word) => paths[word] ?? (word.startsWith('./') ? join(folder, word) : word));
    const { code, err } = await run(given);
    assert.equal(code, 0, `${command}: ${err}`);
  }
  assert.deepEqual(await contentOf(join(folder, 'restored')), await contentOf(data));
});

test('a damaged manifest is named by backup, list and restore; the newest backup is never replaced by an older one', async (context) => {
  const folder = await filledFolder(context);
  const place = join(await temporaryFolder(context), 'backups');
  const first = await backup(folder, place);
  const second = await backup(folder, place);
  const third = await backup(folder, place);
  const manifestOf = (moment: string) => {
    const id = `${'f'.repeat(16)}${Date.parse(moment).toString(16).padStart(14, '0')}00`;
    return { id, path: join(place, 'ff', id) };
  };
  const { id, path } = manifestOf(third.moment);
  const whole = await readFile(path);
  const damaged = Buffer.from(whole);
  damaged[30] = (damaged[30] ?? 0) ^ 1;
  await writeFile(path, damaged);
  const named = `The backup of ${third.moment} is damaged: its manifest, ${id}, has other bytes than were written`;

  const empty = await temporaryFolder(context);
  const listed = await run(['restore', place, '--list']);
  assert.equal(listed.code, 1);
  assert.ok(listed.out.endsWith(`\n${named}\n`), listed.out);
  const json = await run(['restore', place, '--list', '--json']);
  assert.deepEqual(
    (JSON.parse(json.out) as { moment: string }[]).map(({ moment }) => moment),
    [first.moment, second.moment, third.moment],
  );
  const refused = await run(['restore', place, '--data', join(empty, 'newest')]);
  assert.equal(refused.code, 2);
  const advice = `to restore another one, choose it with --at: the newest whole one is of ${second.moment}`;
  assert.equal(refused.err, `basedrive: ${named}; ${advice}\n`);
  assert.deepEqual(await readdir(empty), []);
  const chosen = await run(['restore', place, '--data', join(empty, 'chosen'), '--at', second.moment]);
  assert.equal(chosen.code, 0, chosen.err);
  assert.ok(chosen.err.startsWith(`${named}\n`), chosen.err);

  const server = await startServer(context, ['--data', folder]);
  for (const options of [[], ['--verify', '--keep', '0s']]) {
    const { code, out } = await run(['backup', place, '--data', folder, ...options]);
    assert.equal(code, 1);
    assert.match(out, /^Problems: 1$/m);
    assert.ok(out.includes(`${named}; as long as it is here, nothing is deleted`), out);
  }
  assert.equal(await server.stop(), 0);
  assert.deepEqual(await readFile(path), damaged);
  // A fourth and a fifth one: none was dropped.
  assert.equal((await momentsIn(place)).length, 5);
  await writeFile(path, whole);
  await restore(place, join(empty, 'third'), ['--at', third.moment]);
  assert.deepEqual(await contentOf(join(empty, 'third')), await contentOf(folder));
});
