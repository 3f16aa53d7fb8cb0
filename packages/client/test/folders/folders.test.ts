import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { Basedrive, type Drive } from '../../src/in-node.js';
import { downloadFolder, type FolderProgress, uploadFolder } from '../../src/node.js';
import { cuttingProxy } from '../support/cutting-proxy.js';
import { freshName, key, useService } from '../support/service.js';

async function temporaryFolder(test: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-folder-'));
  test.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The files below a folder, as text. */
async function contents(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) found[relative(folder, path)] = await readFile(path, 'latin1');
  }
  return found;
}

describe('folders', { concurrency: true }, () => {
  const service = useService();
  const open = (name = freshName(), url = service.url): Drive =>
    Basedrive(key, { url, retry: { firstDelayMs: 10 } }).Drive(name);

  test('a folder is uploaded, and downloaded as it was', async (t) => {
    const from = await temporaryFolder(t);
    await mkdir(join(from, 'a/b'), { recursive: true });
    await writeFile(join(from, 'a/b/ä.txt'), 'hello');
    await writeFile(join(from, 'empty'), '');
    await writeFile(join(from, 'large.bin'), Buffer.alloc(12 * 1024 * 1024, 'large, '));
    const drive = open();
    const seen: FolderProgress[] = [];
    const bytes = 5 + 12 * 1024 * 1024;
    const uploaded = await uploadFolder(drive, from, { onProgress: (now) => seen.push(now) });
    assert.deepEqual(uploaded, { files: 3, kept: 0, bytes, failed: [] });
    assert.deepEqual(seen.at(-1), { files: 3, kept: 0, bytes });
    assert.ok(seen.some((now) => now.bytes > 1024 * 1024 && now.bytes < bytes));
    const to = join(await temporaryFolder(t), 'not/there/yet');
    assert.deepEqual(await downloadFolder(drive, to), { files: 3, kept: 0, bytes, failed: [] });
    assert.deepEqual(await contents(to), await contents(from));
    const details = (await drive.list({ details: true })).files?.find(({ name }) => name === 'empty');
    assert.equal((await stat(join(to, 'empty'))).mtimeMs, (details?.modified ?? 0) * 1000);
  });

  test('twelve files at once cause no warning', async (t) => {
    const from = await temporaryFolder(t);
    const names = Array.from({ length: 24 }, (_, n) => `f${n}`);
    for (const name of names) await writeFile(join(from, name), name);
    const warnings: string[] = [];
    const onWarning = ({ name }: Error) => warnings.push(name);
    process.on('warning', onWarning);
    t.after(() => process.off('warning', onWarning));
    const drive = open();
    assert.equal((await uploadFolder(drive, from, { concurrency: 12 })).files, 24);
    const to = await temporaryFolder(t);
    assert.equal((await downloadFolder(drive, to, { concurrency: 12 })).files, 24);
    assert.ok(!warnings.includes('MaxListenersExceededWarning'));
  });

  test('a second run transfers only what has changed', async (t) => {
    const drive = open();
    for (const name of ['p/same', 'p/larger', 'p/later', 'other']) await drive.put(name, '12345');
    const folder = await temporaryFolder(t);
    assert.equal((await downloadFolder(drive, folder, { prefix: 'p/' })).files, 3);
    assert.deepEqual(Object.keys(await contents(folder)).sort(), ['larger', 'later', 'same']);
    const none = { files: 0, kept: 3, bytes: 0, failed: [] };
    assert.deepEqual(await downloadFolder(drive, folder, { prefix: 'p/' }), none);
    assert.deepEqual(await uploadFolder(drive, folder, { prefix: 'p/' }), none);

    await drive.put('p/larger', '123456');
    await writeFile(join(folder, 'mine'), 'stays');
    await utimes(join(folder, 'later'), 1, 1);
    const again = await downloadFolder(drive, folder, { prefix: 'p/' });
    assert.deepEqual(again, { files: 2, kept: 1, bytes: 11, failed: [] });
    assert.deepEqual(await contents(folder), {
      larger: '123456',
      later: '12345',
      mine: 'stays',
      same: '12345',
    });

    const soon = Date.now() / 1000 + 10;
    await writeFile(join(folder, 'same'), 'abcde');
    await utimes(join(folder, 'same'), soon, soon);
    const up = await uploadFolder(drive, folder, { prefix: 'p/' });
    assert.deepEqual([up.files, up.kept], [2, 2]);
    assert.equal(await (await drive.get('p/same'))?.text(), 'abcde');
    assert.equal(await (await drive.get('p/mine'))?.text(), 'stays');
  });

  test('a download that is cut off continues where it was, also in a later run', async (t) => {
    const name = freshName();
    const bytes = Buffer.alloc(4 * 1024 * 1024, 'some bytes, and more of them. ');
    await open(name).put('film', bytes);
    const folder = await temporaryFolder(t);
    const proxy = await cuttingProxy(t, service.url, 900_000, 900_000, 900_000);
    const result = await downloadFolder(open(name, proxy.url), folder, { concurrency: 1 });
    assert.deepEqual(result.failed, []);
    assert.ok(proxy.cuts >= 2, `${proxy.cuts}`);
    // Each cut costs the last byte, which is read twice.
    assert.ok(result.bytes <= bytes.length + proxy.cuts, `${result.bytes}`);
    assert.ok(bytes.equals(await readFile(join(folder, 'film'))));

    const second = await temporaryFolder(t);
    const controller = new AbortController();
    const onProgress = ({ bytes: arrived }: FolderProgress) => {
      if (arrived > 1024 * 1024) controller.abort();
    };
    const { signal } = controller;
    const slow = await cuttingProxy(t, service.url, 700_000, 700_000, 700_000);
    const interrupted = downloadFolder(open(name, slow.url), second, { signal, onProgress });
    await assert.rejects(interrupted, { code: 'aborted' });
    const parts = Object.keys(await contents(second));
    assert.match(parts.join(), /^\.basedrive-[^,]+\.partial$/);
    assert.deepEqual(await uploadFolder(open(), second), { files: 0, kept: 0, bytes: 0, failed: [] });
    const stale = String(parts[0]).replace(/-[0-9a-f]{16}\.partial$/, `-${'0'.repeat(16)}.partial`);
    await writeFile(join(second, stale), 'of an older version of the file');
    const rest = await downloadFolder(open(name), second);
    assert.equal(rest.files, 1);
    assert.ok(rest.bytes < bytes.length - 500_000, `${rest.bytes}`);
    assert.deepEqual(Object.keys(await contents(second)), ['film']);
    assert.ok(bytes.equals(await readFile(join(second, 'film'))));
  });

  test('a part of a file that was overwritten is not continued', async (t) => {
    const drive = open();
    await drive.put('f', Buffer.alloc(300_000, 'old'));
    const folder = await temporaryFolder(t);
    const listed = (await drive.list({ details: true })).files ?? [];
    const controller = new AbortController();
    const interrupted = { signal: controller.signal, onProgress: () => controller.abort() };
    await assert.rejects(downloadFolder(drive, folder, interrupted), { code: 'aborted' });
    assert.equal(Object.keys(await contents(folder)).length, 1);
    await drive.put('f', Buffer.alloc(300_000, 'new'));
    async function* stale() {
      yield* listed;
    }
    const { files } = await downloadFolder({ files: stale, get: drive.get }, folder);
    assert.equal(files, 1);
    assert.deepEqual(await contents(folder), { f: Buffer.alloc(300_000, 'new').toString() });
    await drive.delete('f');
    const gone = await downloadFolder({ files: stale, get: drive.get }, await temporaryFolder(t));
    assert.deepEqual(gone, { files: 0, kept: 0, bytes: 0, failed: [] });
  });

  test('no name leads out of the folder, and what cannot be a path is named', async (t) => {
    const drive = open();
    const bad = ['../out', '/rooted', 'a/../../out', 'a//b', './dot', `${'n'.repeat(300)}`];
    for (const name of [...bad, 'fine', 'both', 'both/below']) await drive.put(name, 'x');
    const parent = await temporaryFolder(t);
    const { files, failed } = await downloadFolder(drive, join(parent, 'in'), { concurrency: 1 });
    assert.equal(files, 2);
    assert.deepEqual(failed.map(({ name }) => name).sort(), [...bad, 'both/below'].sort());
    assert.deepEqual(Object.keys(await contents(parent)).sort(), ['in/both', 'in/fine']);
  });

  test('links are not uploaded, and a wrong key or folder is an error', async (t) => {
    const folder = await temporaryFolder(t);
    await symlink('/etc/hostname', join(folder, 'link'));
    await writeFile(join(folder, 'file'), 'x');
    const { files, failed } = await uploadFolder(open(), folder);
    assert.deepEqual([files, failed.map(({ name }) => name)], [1, ['link']]);
    await assert.rejects(uploadFolder(open(), join(folder, 'absent')), { code: 'invalid' });
    const stranger = Basedrive('demo_wrong', { url: service.url }).Drive('d');
    await assert.rejects(uploadFolder(stranger, folder), { code: 'unauthorized' });
    await assert.rejects(downloadFolder(stranger, folder), { code: 'unauthorized' });
    const mistake = new Error('of the callback');
    const onProgress = () => {
      throw mistake;
    };
    await assert.rejects(uploadFolder(open(), folder, { onProgress }), mistake);
    await assert.rejects(uploadFolder(open(), folder, { signal: AbortSignal.abort() }), { code: 'aborted' });
    await assert.rejects(uploadFolder(open(), folder, { concurrency: Number.NaN }), { code: 'invalid' });
  });
});
