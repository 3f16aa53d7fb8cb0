import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { rootIn } from '../../src/archive/import/source.js';
import { importProject } from '../../src/node.js';
import { openProjectService, type ProjectService, temporaryFolder } from '../support/archive-project.js';
import { writeZip } from '../support/write-zip.js';

const item = '[{"key":"a"}]';

describe('the root of an export', () => {
  let service: ProjectService;

  before(async () => {
    service = await openProjectService();
  });
  after(() => service.close());

  /** Imports these files from a folder or an archive. */
  async function imported(
    context: TestContext,
    form: 'folder' | 'zip',
    files: Record<string, string | Buffer>,
  ) {
    const from = join(await temporaryFolder(context), `x.${form}`);
    if (form === 'zip') {
      await writeFile(from, writeZip(Object.entries(files).map(([path, bytes]) => ({ path, bytes }))));
    } else {
      await mkdir(from);
      for (const [path, bytes] of Object.entries(files)) {
        await mkdir(dirname(join(from, path)), { recursive: true });
        await writeFile(join(from, path), bytes);
      }
    }
    return await importProject(from, service.newProject());
  }

  test('is the shortest one that a path shows', () => {
    const roots: readonly (readonly [string, string | undefined])[] = [
      ['bases/basedrive.json', ''],
      ['bases/users.json', ''],
      ['drives/bases/x.json', ''],
      ['drives/drives/x', ''],
      ['drives/photos/bases/x.json', ''],
      ['basedrive.json', ''],
      ['old/bases/basedrive.json', 'old/'],
      ['old/drives/d/x', 'old/'],
      ['old/basedrive.json', 'old/'],
      ['old/very/bases/x.json', undefined],
      ['old/notes.txt', undefined],
      ['basedrive.json/x', undefined],
    ];
    for (const [path, root] of roots) assert.equal(rootIn(path), root, path);
  });

  for (const form of ['folder', 'zip'] as const) {
    test(`is found whatever bases and drives are called, in a ${form}`, async (context) => {
      const files = { 'bases/basedrive.json': item, 'drives/bases/x.json': 'x', 'drives/drives/y/z': 'y' };
      for (const root of ['', 'old/']) {
        const paths = Object.fromEntries(Object.entries(files).map(([path, bytes]) => [root + path, bytes]));
        const report = await imported(context, form, paths);
        assert.deepEqual([report.items, report.files, report.ignored, report.setAside], [1, 2, 0, []], root);
      }
    });

    test(`is not guessed if there are several, in a ${form}`, async (context) => {
      const several = { 'b/bases/x.json': item, 'a/bases/x.json': item };
      await assert.rejects(imported(context, form, several), {
        code: 'bad_archive',
        message: /^There are several exports in .*: a\/?, b\/?$/,
      });
      assert.equal((await imported(context, form, { ...several, 'bases/y.json': item })).items, 1);
    });
  }

  test('of an archive does not follow from what is set aside', async (context) => {
    const report = await imported(context, 'zip', { '../bases/x.json': item, 'old/bases/y.json': item });
    assert.deepEqual([report.items, report.setAsideCount], [1, 1]);
  });

  test('is not behind a link', async (context) => {
    const folder = await temporaryFolder(context);
    const outside = await temporaryFolder(context);
    await mkdir(join(outside, 'bases'));
    await writeFile(join(outside, 'bases/x.json'), item);
    await symlink(outside, join(folder, 'link'));
    await assert.rejects(importProject(folder, service.newProject()), { code: 'bad_archive' });
  });

  test('a file whose name is no text is set aside, and the rest goes in', async (context) => {
    const folder = await temporaryFolder(context);
    await mkdir(join(folder, 'drives/d'), { recursive: true });
    await writeFile(join(folder, 'drives/d/good'), 'good');
    const name = Buffer.concat([Buffer.from(join(folder, 'drives/d/')), Buffer.from([0x62, 0xff])]);
    try {
      await writeFile(name, 'bad');
    } catch {
      context.skip('this file system takes only names that are text');
      return;
    }
    const { files, setAside } = await importProject(folder, service.newProject());
    assert.equal(files, 1);
    assert.deepEqual(setAside, [{ path: 'drives/d/b\ufffd', problem: 'cannot be read: ENOENT' }]);
  });

  test('hostile values of basedrive.json set one file aside each, and the rest goes in', async (context) => {
    const cases: readonly (readonly [problem: string, entry: Record<string, unknown>])[] = [
      ['content_type: must be a text of Latin-1', { drive: 'd', name: 'a', content_type: 'a/b\r\nX: y' }],
      ['content_type: must be a text of Latin-1', { drive: 'd', name: 'a', content_type: 'a/\u{1f600}' }],
      ['content_type: must have at most 4096', { drive: 'd', name: 'a', content_type: 'x'.repeat(40_000) }],
      ['drive: must not be empty', { drive: '', name: 'a', content_type: 'a/b' }],
      ['name: must not be empty', { drive: 'd', name: '', content_type: 'a/b' }],
      ['name: has a lone surrogate', { drive: 'd', name: '\ud800', content_type: 'a/b' }],
      ['name: must have at most 4096', { drive: 'd', name: 'é'.repeat(30_000), content_type: 'a/b' }],
      ['drive: must have at most 4096', { drive: 'é'.repeat(30_000), name: 'n', content_type: 'a/b' }],
      ['base: must not be empty', { base: '', items: 1 }],
      ['base: has a lone surrogate', { base: '\udfff', items: 1 }],
      ['base: must have at most 4096', { base: 'b'.repeat(40_000), items: 1 }],
    ];
    const paths = cases.map((_, n) => `drives/d/${n}`);
    const common = { size: 13, sha256: '0'.repeat(64) };
    const entries = cases.map(([, entry], n) => ({ ...entry, ...common, path: paths[n] }));
    const manifest = JSON.stringify({ format: 'basedrive', version: 1, entries });
    const report = await imported(context, 'folder', {
      ...Object.fromEntries(paths.map((path) => [path, item])),
      'basedrive.json': manifest,
      'drives/d/good': 'good',
    });
    const problems = new Map(report.setAside.map(({ path, problem }) => [path, problem]));
    for (const [n, [problem]] of cases.entries()) {
      const said = problems.get(paths[n] as string) ?? '';
      assert.ok(said.startsWith(`basedrive.json: ${problem}`), `${paths[n]} ${said}`);
    }
    assert.deepEqual([report.files, report.setAsideCount], [1, cases.length]);
  });

  test('an entry of basedrive.json that is of a base and of a drive is none', async (context) => {
    const file = { path: 'drives/d/a', size: 1, sha256: '0', drive: 'd', name: 'a', content_type: 'a/b' };
    for (const base of [5, 'b', null]) {
      const manifest = JSON.stringify({ format: 'basedrive', version: 1, entries: [{ ...file, base }] });
      const report = await imported(context, 'folder', { 'basedrive.json': manifest, 'drives/d/a': 'a' });
      assert.deepEqual(report.setAside, [
        { path: 'basedrive.json', line: 1, problem: 'is not an entry of an export' },
      ]);
      assert.equal(report.files, 1);
    }
  });
});
