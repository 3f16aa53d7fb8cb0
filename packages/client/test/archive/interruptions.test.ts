import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { ProjectAddress } from '../../src/archive/api/address.js';
import { storeLines } from '../../src/archive/api/project.js';
import { putFile, uploadFile } from '../../src/archive/api/write.js';
import { runExport } from '../../src/archive/export/run-export.js';
import { runImport } from '../../src/archive/import/run-import.js';
import { createSemaphore } from '../../src/archive/semaphore.js';
import { exportProject } from '../../src/node.js';
import { assertSameFiles, filesIn, openProjectService, temporaryFolder } from '../support/archive-project.js';
import { fakeService, json } from '../support/fake-service.js';

const mib = 1024 * 1024;
const cutAfterBytes = 1_500_000;

/**
 * An address whose connections break: before an answer, and in the middle of every long one. What the key may do is asked
 * only once, by design, so its answer always arrives.
 */
function unreliable(address: ProjectAddress, failures: { count: number }): ProjectAddress {
  let requests = 0;
  const send = ((options: { path: string }, answered: (message: IncomingMessage) => void): ClientRequest => {
    const request = (address.send as (options: object) => ClientRequest)(options);
    const losesAnswer = !options.path.endsWith('/keys?self=true') && ++requests % 7 === 0;
    request.once('response', (message: IncomingMessage) => {
      if (losesAnswer) {
        failures.count++;
        request.destroy();
        request.emit('error', new Error('cut'));
        return;
      }
      let bytes = 0;
      const push = message.push.bind(message);
      message.push = (chunk: Buffer | null, encoding) => {
        bytes += chunk?.length ?? 0;
        if (bytes < cutAfterBytes) return push(chunk, encoding);
        failures.count++;
        message.destroy(new Error('cut'));
        return false;
      };
      answered(message);
    });
    return request;
  }) as ProjectAddress['send'];
  return { ...address, send };
}

async function* partsOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 10 * mib) yield bytes.subarray(at, at + 10 * mib);
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
      await storeLines(address, 'items', Buffer.from(lines.join('\n')), false);
      for (let n = 0; n < 20; n++) {
        const file = { name: `${n}`, contentType: 'x/y', expires: undefined, onlyNew: false };
        await putFile(address, 'files', file, Buffer.alloc(n * 40_000, `${n} bytes`));
      }
      const large = { name: 'large', contentType: undefined, expires: 4_102_444_800, onlyNew: false };
      const parts = partsOf(Buffer.alloc(11 * mib, 'large'));
      await uploadFile(address, 'files', large, { parts, inFlight: createSemaphore(4) });
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

  test('files that are overwritten and deleted during an export are whole, or not there', async (context) => {
    const folder = await temporaryFolder(context);
    const service = await openProjectService();
    context.after(() => service.close());
    await service.inNewProject(async (address) => {
      const names = Array.from({ length: 40 }, (_, n) => `${n}`);
      const put = (name: string, version: number) => {
        const file = { name, contentType: undefined, expires: undefined, onlyNew: false };
        return putFile(address, 'files', file, Buffer.alloc(60_000 + version, `${version % 10}`));
      };
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
