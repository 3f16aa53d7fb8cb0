import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { runExport } from '../../src/archive/export/run-export.js';
import { runImport } from '../../src/archive/import/run-import.js';
import { isIntactManifest, manifestText, readEntry } from '../../src/archive/layout/manifest.js';
import {
  baseOf,
  driveOf,
  openProjectService,
  type ProjectService,
  temporaryFolder,
} from '../support/archive-project.js';

async function* lines() {
  yield '{"base":"b","path":"bases/b.json","items":1,"size":17,"sha256":"0"}';
  yield '{"drive":"d","name":"n","path":"drives/d/n","size":1,"sha256":"0","content_type":"a/b"}';
}

async function written(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const lists = { kept: [{ drive: 'd', location: 'eu-west-1' }], gaps: [{ drive: 'd', after: 'a' }] };
  for await (const chunk of manifestText(lines(), lists)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The bytes as they come from a file, in chunks. */
async function* chunksOf(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe('the checksum of basedrive.json', () => {
  let service: ProjectService;
  before(async () => {
    service = await openProjectService();
  });
  after(() => service.close());

  test('is right in what was written, in chunks of any size', async () => {
    const bytes = await written();
    assert.equal(JSON.parse(bytes.toString()).entries.length, 2);
    for (const size of [1, 7, 256, 257, bytes.length])
      assert.ok(await isIntactManifest(chunksOf(bytes, size)));
  });

  test('shows every bit that flips before it, and that the end is missing', async () => {
    const bytes = await written();
    const end = bytes.lastIndexOf(',"sha256"');
    for (let bit = 0; bit < end * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      assert.ok(!(await isIntactManifest(chunksOf(changed, 1000))), `bit ${bit}`);
    }
    for (const length of [0, 40, end, bytes.length - 2])
      assert.ok(!(await isIntactManifest(chunksOf(bytes.subarray(0, length), 1000))), `${length} bytes`);
  });

  test('is compared before anything is imported, unless changes are accepted', async (context) => {
    const folder = join(await temporaryFolder(context), 'to');
    await service.inNewProject(async (address) => {
      await baseOf(address, 'b').put({ n: 1 }, 'k');
      await driveOf(address, 'd').put('n', 'x', { contentType: 'text/x-tea', metadata: { note: 'hot' } });
      await runExport(address, folder);
    });
    const path = join(folder, 'basedrive.json');
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace('text/x-tea', 'text/x-tei'));
    await service.inNewProject(async (address) => {
      await assert.rejects(runImport(address, folder), {
        code: 'bad_archive',
        message:
          /^basedrive\.json has another checksum than it says.* accept that: --accept-changes, acceptChanges\)$/,
      });
      assert.equal(await baseOf(address, 'b').get('k'), null);
      const accepted = await runImport(address, folder, { acceptChanges: true });
      assert.deepEqual([accepted.items, accepted.files, accepted.setAside], [1, 1, []]);
    });
    // What no request can bring along concerns its file alone.
    await writeFile(path, text.replace('"hot"', '" hot"'));
    await service.inNewProject(async (address) => {
      const { items, setAside } = await runImport(address, folder, { acceptChanges: true });
      assert.deepEqual([items, setAside.map(({ path: of }) => of)], [1, ['drives/d/n']]);
      assert.match(setAside[0]?.problem ?? '', /^metadata\.note: .*end with a space$/);
    });
    // Those of earlier versions have none.
    await writeFile(path, text.replace(/,"sha256":"[^"]*"\}\n$/, '}\n'));
    await service.inNewProject(async (address) => {
      const earlier = await runImport(address, folder);
      assert.deepEqual([earlier.items, earlier.files, earlier.setAside], [1, 1, []]);
    });
  });

  test('in an archive that is damaged there, the file is named and nothing is imported', async (context) => {
    const path = join(await temporaryFolder(context), 'to.zip');
    await service.inNewProject(async (address) => {
      await baseOf(address, 'b').put({ n: 1 }, 'k');
      await runExport(address, path);
    });
    const bytes = await readFile(path);
    // Its bytes come after its name, of which the last is in the list at the end.
    const name = bytes.lastIndexOf('basedrive.json', bytes.lastIndexOf('basedrive.json') - 1);
    bytes[name + 60]! ^= 1;
    await writeFile(path, bytes);
    await service.inNewProject(async (address) => {
      await assert.rejects(runImport(address, path), {
        code: 'bad_archive',
        message: /^basedrive\.json is damaged: /,
      });
    });
  });
});

test('an entry is taken only if all of its members are of their types', () => {
  const file = { path: 'p', size: 1, sha256: '0', drive: 'd', name: 'n', content_type: 'a/b' };
  const base = { path: 'p', size: 1, sha256: '0', base: 'b' };
  const take = (entry: object) => readEntry(JSON.stringify(entry)) !== undefined;
  const [part, index] = [{ size: 0 }, { name: 'i', fields: ['f'] }];
  assert.ok([file, base, { ...file, parts: [part] }, { ...base, indexes: [index] }].every(take));
  const parts = [{}, [null], [{ size: -1 }], [{ size: 0.5 }], [part, {}], [{ ...part, checksum: [] }]];
  for (const wrong of parts) assert.ok(!take({ ...file, parts: wrong }), JSON.stringify(wrong));
  for (const wrong of [index, [null], [{ name: 'i' }], [{ fields: [] }]])
    assert.ok(!take({ ...base, indexes: wrong }), JSON.stringify(wrong));
});
