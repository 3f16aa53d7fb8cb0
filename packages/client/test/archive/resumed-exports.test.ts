import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, readlink, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { ProjectAddress } from '../../src/archive/api/address.js';
import { runExport } from '../../src/archive/export/run-export.js';
import { exportProject } from '../../src/node.js';
import {
  assertSameFiles,
  baseOf,
  driveOf,
  filesIn,
  openProjectService,
  type ProjectService,
  temporaryFolder,
  through,
} from '../support/archive-project.js';
import { fakeService, json, type Reaction } from '../support/fake-service.js';

const last = 'zzz';

async function put(address: ProjectAddress, name: string, text = name): Promise<void> {
  await driveOf(address, 'd').put(name, text, { contentType: 'a/b' });
}

async function remove(address: ProjectAddress, name: string): Promise<void> {
  await driveOf(address, 'd').delete(name);
}

/** Exports until the last file of the drive is to be read: then it is aborted, after `meanwhile`. */
async function exportUntilLast(
  address: ProjectAddress,
  to: string,
  meanwhile = async (): Promise<void> => {},
): Promise<void> {
  const controller = new AbortController();
  const stopped = through(address, async (path, send) => {
    if (!path.endsWith(`/d/files/download?name=${last}`)) return await send();
    await meanwhile();
    controller.abort();
    return await send();
  });
  await assert.rejects(runExport(stopped, to, { signal: controller.signal }), { code: 'aborted' });
}

describe('an export to a folder that was interrupted', () => {
  let service: ProjectService;

  before(async () => {
    service = await openProjectService();
  });
  after(() => service.close());

  async function filled(address: ProjectAddress, ...names: readonly string[]): Promise<void> {
    for (const base of ['gone', 'kept']) await baseOf(address, base).put({}, 'a');
    for (const name of names) await put(address, name);
    // So many that everything before the last one is written when it is read.
    for (let n = 0; n < 4; n++) await put(address, `y${n}`);
    await put(address, last);
  }

  test('holds only what the project still has when it is complete', async (context) => {
    const folder = await temporaryFolder(context);
    const [to, fresh] = [join(folder, 'to'), join(folder, 'fresh')];
    await service.inNewProject(async (address) => {
      await filled(address, '1', '2', '3', 'folder/4');
      await exportUntilLast(address, to);
      assert.ok((await filesIn(to)).has('bases/gone.json'));
      await baseOf(address, 'gone').delete('a');
      await remove(address, '1');
      await remove(address, 'folder/4');
      await put(address, '2', 'new');
      const report = await runExport(address, to);
      assert.ok(report.reused > 0);
      await runExport(address, fresh);
    });
    await assertSameFiles(to, fresh);
    assert.deepEqual((await readdir(join(to, 'drives/d'))).sort(), await readdir(join(fresh, 'drives/d')));
  });

  test('knows what it has begun, also when it was killed before it had noted the end', async (context) => {
    const folder = await temporaryFolder(context);
    const [to, fresh] = [join(folder, 'to'), join(folder, 'fresh')];
    await service.inNewProject(async (address) => {
      await filled(address, '1', '2');
      await exportUntilLast(address, to);
      const journal = join(to, 'basedrive.partial/journal');
      const lines = (await readFile(journal, 'utf8')).trim().split('\n');
      const begun = lines.filter((line) => !line.includes('"etag"'));
      assert.ok(begun.length > 0 && begun.length < lines.length);
      await writeFile(journal, `${begun.join('\n')}\n{"path":"drives/d/2","et`);
      await remove(address, '1');
      assert.equal((await runExport(address, to)).reused, 0);
      await runExport(address, fresh);
    });
    await assertSameFiles(to, fresh);
  });

  test('goes on where a file has become a folder, and a folder a file', async (context) => {
    const folder = await temporaryFolder(context);
    const [to, fresh] = [join(folder, 'to'), join(folder, 'fresh')];
    await service.inNewProject(async (address) => {
      await filled(address, 'file', 'folder/in/a', 'folder/b');
      await exportUntilLast(address, to);
      for (const name of ['file', 'folder/in/a', 'folder/b']) await remove(address, name);
      for (const name of ['file/in/a', 'folder']) await put(address, name);
      await runExport(address, to);
      await runExport(address, fresh);
    });
    await assertSameFiles(to, fresh);
  });

  test('leaves the files of others alone', async (context) => {
    const to = join(await temporaryFolder(context), 'to');
    await service.inNewProject(async (address) => {
      await filled(address, '1');
      await exportUntilLast(address, to);
      await writeFile(join(to, 'drives/d/mine'), 'mine');
      await mkdir(join(to, 'drives/mine'));
      await writeFile(join(to, 'drives/mine/too'), 'mine');
      await runExport(address, to);
    });
    assert.equal(await readFile(join(to, 'drives/d/mine'), 'utf8'), 'mine');
    assert.equal(await readFile(join(to, 'drives/mine/too'), 'utf8'), 'mine');
  });

  test('does not keep a file that is deleted while it is read anew', async (context) => {
    const to = join(await temporaryFolder(context), 'to');
    const details = (name: string, etag: string) => ({ name, size: 1, content_type: 'a/b', etag });
    const answers = (first: string, isComplete: boolean): Reaction => {
      return (response, request) => {
        const { path } = request;
        const answer = (value: unknown, status = 200) => json(status, value)(response, request);
        if (path.endsWith('/keys?self=true')) return answer({ access: 'full' });
        if (path.includes('/bases?')) return answer({ bases: [] });
        if (path.includes('/drives?')) return answer({ drives: ['d'] });
        if (path.includes('/stats')) return answer({ base: { bytes: 0 }, drive: { bytes: 2 } });
        // The file is gone when it is asked for by its name.
        if (path.includes('prefix=')) return answer({ names: [] });
        if (path.includes('/files?')) {
          return answer({ files: [details('1', first), details('2', '"c"')] });
        }
        if (path.endsWith('name=1') && isComplete) return answer({ errors: ['Changed'] }, 412);
        if (path.endsWith('name=1')) return response.writeHead(200).end('1');
        if (isComplete) return response.writeHead(200).end('2');
        // The first file is in place when this answer ends the export.
        setTimeout(() => answer({ errors: ['No'] }, 401), 300);
      };
    };
    const key = 'demo_s3cret';
    const before = await fakeService(context, answers('"a"', false));
    await assert.rejects(exportProject(to, { url: before.url, key }), { code: 'unauthorized' });
    assert.ok((await filesIn(to)).has('drives/d/1'));
    const after = await fakeService(context, answers('"b"', true));
    assert.equal((await exportProject(to, { url: after.url, key })).files, 1);
    assert.deepEqual([...(await filesIn(to)).keys()], ['basedrive.json', 'drives/d/2']);
  });

  test('is not continued while it still runs, and is when its process is gone', async (context) => {
    const to = join(await temporaryFolder(context), 'to');
    const lock = join(to, 'basedrive.partial/lock');
    await service.inNewProject(async (address) => {
      await filled(address);
      await exportUntilLast(address, to, () =>
        assert.rejects(runExport(address, to), {
          code: 'conflict',
          message: /^Another export writes to this folder, in process \d+\./,
        }),
      );
      // The parent of this process lives, and is another one.
      await writeFile(lock, `${process.ppid}\n`);
      await assert.rejects(runExport(address, to), { code: 'conflict' });
      const { pid } = spawnSync(process.execPath, ['--version']);
      for (const gone of [`${pid}\n`, `${process.pid}\n`, '', 'nothing']) {
        await writeFile(lock, gone);
        await exportUntilLast(address, to);
      }
      assert.equal((await runExport(address, to)).files, 5);
    });
  });

  test('says why it failed, also when it cannot clean up', async (context) => {
    const to = join(await temporaryFolder(context), 'to');
    const key = 'demo_s3cret';
    const spoil: Reaction = async (response, request) => {
      await rename(join(to, 'basedrive.partial'), join(to, 'away'));
      await writeFile(join(to, 'basedrive.partial'), 'a file');
      json(401, { errors: ['Unauthorized'] })(response, request);
    };
    const { url } = await fakeService(context, json(200, { access: 'full' }), spoil);
    await assert.rejects(exportProject(to, { url, key }), { code: 'unauthorized' });
  });

  test('is on stable storage before it is complete: every file, every folder, then basedrive.json', async (context) => {
    if (process.platform !== 'linux') {
      context.skip('only Linux shows which file is synced');
      return;
    }
    const top = await temporaryFolder(context);
    const to = join(top, 'to');
    const { open } = await import('node:fs/promises');
    const handle = await open(top);
    const prototype = Object.getPrototypeOf(handle) as { sync(this: { fd: number }): Promise<void> };
    await handle.close();
    const synced: string[] = [];
    const { sync } = prototype;
    context.mock.method(prototype, 'sync', async function (this: { fd: number }) {
      const path = await readlink(`/proc/self/fd/${this.fd}`);
      synced.push(path.slice(top.length + 1));
      await sync.call(this);
    });
    await service.inNewProject(async (address) => {
      await filled(address, 'folder/1');
      await exportUntilLast(address, to);
      // What the interrupted run wrote is synced, too.
      await runExport(address, to);
      const found = [...(await filesIn(to)).keys()].map((path) => `to/${path}`);
      const manifest = synced.lastIndexOf('to/basedrive.partial/basedrive.json');
      const folders = ['to/bases', 'to/drives', 'to/drives/d', 'to/drives/d/folder'];
      for (const path of [...found, ...folders].filter((path) => path !== 'to/basedrive.json')) {
        const at = synced.indexOf(path);
        assert.ok(at !== -1 && at < manifest, `${path} in ${synced.join(' ')}`);
      }
      assert.equal(synced.at(-1), 'to');
      assert.ok(synced.includes(''));
      synced.length = 0;
      await runExport(address, join(top, 'all.zip'));
      assert.match(synced[0] ?? '', /^all\.zip\.\d+-[a-z0-9]+\.partial$/);
      assert.equal(synced.at(-1), '');
    });
    await rm(to, { recursive: true });
  });
});
