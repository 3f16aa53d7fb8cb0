import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { ProjectAddress } from '../../src/archive/api/address.js';
import { runExport } from '../../src/archive/export/run-export.js';
import { runImport } from '../../src/archive/import/run-import.js';
import { exportProject } from '../../src/node.js';
import {
  assertSameFiles,
  baseOf,
  connectionCut,
  driveOf,
  filesIn,
  openProjectService,
  temporaryFolder,
  through,
} from '../support/archive-project.js';
import { fakeService, json } from '../support/fake-service.js';

const mib = 1024 * 1024;
const cutAfterBytes = 1_500_000;

/** An address whose connections break: before an answer, and in the middle of every long one. */
function unreliable(address: ProjectAddress, failures: { count: number }): ProjectAddress {
  let requests = 0;
  return through(address, async (_, send) => {
    const losesAnswer = ++requests % 7 === 0;
    const answer = await send();
    if (losesAnswer) {
      failures.count++;
      await answer.body?.cancel();
      throw connectionCut();
    }
    let bytes = 0;
    const cutting = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.length;
        if (bytes < cutAfterBytes) return controller.enqueue(chunk);
        failures.count++;
        controller.error(connectionCut());
      },
    });
    return new Response(answer.body?.pipeThrough(cutting) ?? null, answer);
  });
}

/** An address whose first long answer to a path breaks in the middle, after `happening`. */
function breaksAmid(address: ProjectAddress, part: string, happening: () => Promise<void>): ProjectAddress {
  let hasBroken = false;
  return through(address, async (path, send) => {
    const answer = await send();
    if (!path.includes(part)) return answer;
    let bytes = 0;
    const breaking = new TransformStream<Uint8Array, Uint8Array>({
      async transform(chunk, controller) {
        controller.enqueue(chunk);
        bytes += chunk.length;
        if (bytes < cutAfterBytes || hasBroken) return;
        hasBroken = true;
        await happening();
        controller.error(connectionCut());
      },
    });
    return new Response(answer.body?.pipeThrough(breaking) ?? null, answer);
  });
}

describe('connections that break', () => {
  test('change nothing of an export and an import', async (context) => {
    const folder = await temporaryFolder(context);
    const path = (name: string) => join(folder, name);
    const from = await openProjectService();
    const to = await openProjectService();
    context.after(async () => {
      await from.close();
      await to.close();
    });
    const failures = { count: 0 };
    await from.inNewProject(async (address) => {
      const lines = Array.from(
        { length: 8000 },
        (_, n) => `{"key":"${n} é","text":"${'x'.repeat(n % 700)}"}`,
      );
      await baseOf(address, 'items').importLines(lines.join('\n'));
      const drive = driveOf(address, 'files');
      for (let n = 0; n < 20; n++) {
        await drive.put(`${n}`, Buffer.alloc(n * 40_000, `${n} bytes`), { contentType: 'x/y' });
      }
      await drive.put('large', Buffer.alloc(11 * mib, 'large'), { expireAt: 4_102_444_800 });
      await runExport(address, path('whole'));
      const worse = unreliable(address, failures);
      await runExport(worse, path('folder'));
      await runExport(worse, path('zip.zip'));
    });
    assert.ok(failures.count > 3, `${failures.count} failures`);
    await assertSameFiles(path('folder'), path('whole'));
    failures.count = 0;
    await to.inNewProject(async (address) => {
      const worse = unreliable(address, failures);
      const report = await runImport(worse, path('zip.zip'));
      assert.deepEqual(report.setAside, []);
      await runExport(address, path('back'));
      await runImport(worse, path('whole'));
      await runExport(address, path('again'));
    });
    assert.ok(failures.count > 3, `${failures.count} failures`);
    await assertSameFiles(path('back'), path('whole'));
    await assertSameFiles(path('again'), path('whole'));
  });

  test('a server that asks to wait is asked again after that time, and not for ever', async (context) => {
    const busy = (seconds: string) => json(429, { errors: ['Busy'] }, { 'Retry-After': seconds });
    const own = json(200, { access: 'full' });
    const empty = [json(200, { bases: [] }), json(200, { drives: [] })];
    const to = await temporaryFolder(context);
    const { url, seen } = await fakeService(context, busy('0'), own, busy('1'), ...empty);
    assert.equal((await exportProject(join(to, 'one'), { url, key: 'demo_s3cret' })).bases, 0);
    const [, , asked, repeated] = seen;
    // A timer may be early by less than a millisecond.
    assert.ok((repeated?.at ?? 0) - (asked?.at ?? 0) >= 999);
    const full = await fakeService(context, own, busy('3600'));
    await assert.rejects(exportProject(join(to, 'two'), { url: full.url, key: 'demo_s3cret' }), {
      code: 'unavailable',
      status: 429,
      message: /answers 429: Busy$/,
    });
  });

  test('an import that is repeated keeps every item, however many small ones there are', async (context) => {
    const folder = await temporaryFolder(context);
    const service = await openProjectService();
    context.after(() => service.close());
    const items = 50_000;
    await mkdir(join(folder, 'bases'));
    const lines = Array.from({ length: items }, (_, n) => `{"key":"${n}"}\n`);
    await writeFile(join(folder, 'bases', 'b.ndjson'), lines.join(''));
    await service.inNewProject(async (address) => {
      assert.equal((await runImport(address, folder)).items, items);
      const { items: stored, itemsKept } = await runImport(address, folder, { keepExisting: true });
      assert.deepEqual({ stored, itemsKept }, { stored: 0, itemsKept: items });
    });
  });

  test('an export to an archive that ends amid a base or a file rejects, and leaves nothing', async (context) => {
    const folder = await temporaryFolder(context);
    const service = await openProjectService();
    context.after(() => service.close());
    await service.inNewProject(async (address) => {
      const lines = Array.from({ length: 8000 }, (_, n) => `{"key":"${n}","text":"${'x'.repeat(500)}"}`);
      await baseOf(address, 'items').importLines(lines.join('\n'));
      const put = (fill: string) => driveOf(address, 'files').put('large', Buffer.alloc(8 * mib, fill));
      await put('first');
      const archive = join(folder, 'all.zip');
      for (const path of ['/items', '/files/download']) {
        const controller = new AbortController();
        const { signal } = controller;
        const aborting = breaksAmid(address, path, async () => controller.abort());
        await assert.rejects(runExport(aborting, archive, { signal }), { code: 'aborted' });
        assert.deepEqual(await readdir(folder), []);
      }
      const changing = breaksAmid(address, '/files/download', async () => void (await put('second')));
      await assert.rejects(runExport(changing, archive), /large changed before it was back/);
      assert.deepEqual(await readdir(folder), []);
      assert.equal((await runExport(address, archive)).files, 1);
    });
  });

  test('files that are overwritten and deleted during an export are whole, or not there', async (context) => {
    const folder = await temporaryFolder(context);
    const service = await openProjectService();
    context.after(() => service.close());
    await service.inNewProject(async (address) => {
      const names = Array.from({ length: 40 }, (_, n) => `${n}`);
      const put = (name: string, version: number) =>
        driveOf(address, 'files').put(name, Buffer.alloc(60_000 + version, `${version % 10}`));
      for (const name of names) await put(name, 0);
      let isExporting = true;
      const writing = (async () => {
        for (let version = 1; isExporting; version++)
          await put(names[version % names.length] as string, version);
      })();
      await runExport(unreliable(address, { count: 0 }), join(folder, 'export'));
      isExporting = false;
      await writing;
      const files = [...(await filesIn(join(folder, 'export/drives/files'))).values()];
      assert.equal(files.length, names.length);
      for (const bytes of files.map((text) => Buffer.from(text, 'hex'))) {
        assert.ok(bytes.every((byte) => byte === 48 + (bytes.length % 10)));
      }
      await runImport({ ...address }, join(folder, 'export'));
    });
  });
});
