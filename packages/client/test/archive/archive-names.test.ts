import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { exportProject } from '../../src/node.js';
import { openProjectService, type ProjectService, temporaryFolder } from '../support/archive-project.js';
import { fakeService, json } from '../support/fake-service.js';

describe('the name of an archive', () => {
  let service: ProjectService;

  before(async () => {
    service = await openProjectService();
  });
  after(() => service.close());

  async function pathsIn(context: TestContext) {
    const folder = await temporaryFolder(context);
    return (name: string) => join(folder, name);
  }

  test('takes nothing from files with names like those of an incomplete one', async (context) => {
    const path = await pathsIn(context);
    const others = ['all.zip.partial', 'all.zip.entries'];
    for (const other of others) await writeFile(path(other), 'mine');
    await exportProject(path('all.zip'), service.newProject());
    assert.deepEqual(await readdir(path('')), ['all.zip', ...others.sort()]);
    for (const other of others) assert.equal(await readFile(path(other), 'utf8'), 'mine');
  });

  test('is freed of what killed exports to it have left, and of nothing else', async (context) => {
    const path = await pathsIn(context);
    const { pid: ended } = spawnSync('true');
    const left = [`all.zip.${ended}-abcdefgh.partial`, `all.zip.${ended}-abcdefgh.entries`];
    // A container gives the same number to each process.
    left.push(`all.zip.${process.pid}-abcdefgh.partial`);
    const others = [`all.zip.${process.ppid}-abcdefgh.partial`, `b.zip.${ended}-abcdefgh.partial`];
    others.push(`all.zip.${ended}-abc.partial`, `all.zip.${ended}-abcdefgh.partial.old`);
    for (const name of [...left, ...others]) await writeFile(path(name), 'something');
    await exportProject(path('all.zip'), service.newProject());
    assert.deepEqual((await readdir(path(''))).sort(), ['all.zip', ...others].sort());
    // An export can be killed when the archive has its name already.
    await writeFile(path(left[0] ?? ''), 'something');
    await assert.rejects(exportProject(path('all.zip'), service.newProject()), { code: 'conflict' });
    assert.deepEqual((await readdir(path(''))).sort(), ['all.zip', ...others].sort());
  });

  test('may be used by one of several exports at once: the others are refused and leave nothing', async (context) => {
    const path = await pathsIn(context);
    const options = service.newProject();
    const ended = await Promise.allSettled(
      Array.from({ length: 4 }, () => exportProject(path('all.zip'), options)),
    );
    const refused = ended.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    assert.deepEqual(
      refused.map(({ reason }) => reason.code),
      ['conflict', 'conflict', 'conflict'],
    );
    assert.deepEqual(await readdir(path('')), ['all.zip']);
  });

  test('is not taken from a file that comes during the export, nor from a link', async (context) => {
    const path = await pathsIn(context);
    const own = json(200, { access: 'full' });
    const { url } = await fakeService(context, own, json(200, { bases: [] }), async (response, request) => {
      await writeFile(path('all.zip'), 'mine');
      json(200, { drives: [] })(response, request);
    });
    await assert.rejects(exportProject(path('all.zip'), { url, key: 'demo_s3cret' }), { code: 'conflict' });
    assert.equal(await readFile(path('all.zip'), 'utf8'), 'mine');
    await symlink(path('nowhere'), path('link.zip'));
    await assert.rejects(exportProject(path('link.zip'), service.newProject()), { code: 'conflict' });
    assert.deepEqual((await readdir(path(''))).sort(), ['all.zip', 'link.zip']);
  });

  test('in a folder that is missing, or is none, is invalid', async (context) => {
    const path = await pathsIn(context);
    await mkdir(path('folder'));
    await writeFile(path('file'), '');
    for (const name of ['missing/all.zip', 'file/all.zip', `folder/${'x'.repeat(250)}.zip`]) {
      await assert.rejects(exportProject(path(name), service.newProject()), {
        code: 'invalid',
        message: /\.zip cannot be used: /,
      });
    }
    assert.deepEqual(await readdir(path('folder')), []);
  });
});
