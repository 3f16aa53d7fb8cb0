import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { runExport } from '../../src/archive/export/run-export.js';
import {
  baseOf,
  openProjectService,
  type ProjectService,
  temporaryFolder,
  through,
} from '../support/archive-project.js';

const damaged = { errors: ['Stored data is damaged'], codes: [{ code: 'damaged_data' }] };

describe('an export of a store in which something is damaged', () => {
  let service: ProjectService;
  before(async () => {
    service = await openProjectService();
  });
  after(() => service.close());

  test('needs no list of bases for those that are named, and says so', async (context) => {
    const folder = await temporaryFolder(context);
    await service.inNewProject(async (address) => {
      await baseOf(address, 'b').put({ n: 1 }, 'k');
      const asked: string[] = [];
      const unlisted = through(address, async (path, send) => {
        asked.push(path);
        return /\/bases\b/.test(path) ? Response.json(damaged, { status: 500 }) : await send();
      });
      await assert.rejects(runExport(unlisted, join(folder, 'all')), {
        message:
          /: Stored data is damaged: the list of bases cannot be read: name those to export \(--base, /,
      });
      // It is not asked again.
      assert.equal(asked.filter((path) => /\/bases\b/.test(path)).length, 1);
      const { bases, items, leftOut } = await runExport(unlisted, join(folder, 'b'), { bases: ['b'] });
      assert.deepEqual([bases, items, leftOut], [1, 1, []]);
    });
  });
});
