import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, mock, type TestContext, test } from 'node:test';
import { Basedrive } from '../../src/in-node.js';
import { exportProject, type ImportReport, importProject } from '../../src/node.js';
import { openProjectService, type ProjectService, temporaryFolder } from '../support/archive-project.js';
import { editManifest } from '../support/edit-manifest.js';

const hourMs = 3_600_000;

describe('an import on a machine whose clock is wrong', () => {
  let service: ProjectService;
  before(async () => {
    service = await openProjectService();
  });
  after(() => service.close());

  /** An export with one file, which expires at this second. */
  async function exported(context: TestContext, expires: number): Promise<string> {
    const folder = join(await temporaryFolder(context), 'export');
    const from = service.newProject();
    await Basedrive(from.key, { url: from.url }).Drive('d').put('f', 'bytes', { expireAt: 4_102_444_800 });
    await exportProject(folder, from);
    await editManifest(folder, (text) => text.replace('4102444800', String(expires)));
    return folder;
  }

  async function importedWith(
    offMs: number,
    folder: string,
  ): Promise<{ readonly report: ImportReport; readonly names: readonly string[] }> {
    const to = service.newProject();
    mock.timers.enable({ apis: ['Date'], now: Date.now() + offMs });
    const report = await importProject(folder, to).finally(() => mock.timers.reset());
    const { names } = await Basedrive(to.key, { url: to.url }).Drive('d').list();
    return { report, names };
  }

  test('a fast clock leaves out no file that still lives', async (context) => {
    const folder = await exported(context, Math.floor(Date.now() / 1000) + 1800);
    const { report, names } = await importedWith(hourMs, folder);
    assert.deepEqual([report.files, report.filesExpired, names], [1, 0, ['f']]);
  });

  test('a slow clock does not count as stored what has expired', async (context) => {
    const folder = await exported(context, Math.floor(Date.now() / 1000) - 1800);
    const { report, names } = await importedWith(-hourMs, folder);
    assert.deepEqual([report.files, report.filesExpired, names], [0, 1, []]);
  });
});
