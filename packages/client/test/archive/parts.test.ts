import assert from 'node:assert/strict';
import { mkdir, readdir, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { ProjectAddress } from '../../src/archive/api/address.js';
import { storeFile } from '../../src/archive/api/write.js';
import { runExport } from '../../src/archive/export/run-export.js';
import { runImport } from '../../src/archive/import/run-import.js';
import { createSemaphore } from '../../src/archive/semaphore.js';
import { requestValue } from '../../src/http/request.js';
import {
  connectionCut,
  driveOf,
  filesIn,
  openProjectService,
  temporaryFolder,
  through,
} from '../support/archive-project.js';

const mib = 1024 * 1024;

interface Sent {
  /** The path of each request for a part, in their order. */
  readonly parts: string[];
  /** The largest number of them in progress at once. */
  mostAtOnce: number;
}

/** The first request for a part waits for another one so long, however fast the disk is. */
const patienceMs = 10_000;

/** Notes the requests for parts. Those that `breaks` names lose their connection before they are sent as a whole. */
function watched(address: ProjectAddress, breaks: (part: string) => boolean): [ProjectAddress, Sent] {
  const sent: Sent = { parts: [], mostAtOnce: 0 };
  let inProgress = 0;
  const second = new AbortController();
  const watching = through(address, async (path, send) => {
    const [, part] = /&part=(\d+)/.exec(path) ?? [];
    if (part === undefined) return await send();
    sent.mostAtOnce = Math.max(sent.mostAtOnce, ++inProgress);
    sent.parts.push(path);
    if (sent.parts.length > 1) second.abort();
    try {
      await wait(patienceMs, undefined, { signal: second.signal }).catch(() => {});
      if (breaks(part)) throw connectionCut();
      return await send();
    } finally {
      inProgress--;
    }
  });
  return [watching, sent];
}

/** Bytes of which no two parts are equal. */
function bytesOf(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  for (let at = 0; at + 4 <= size; at += 4096) bytes.writeUInt32LE(at + size, at);
  return bytes;
}

/** A part that is read has one of the four places, too: so there may be fewer on their way. */
function assertSeveral(atOnce: number): void {
  assert.ok(atOnce > 1 && atOnce <= 4, `${atOnce} parts at once`);
}

describe('the parts of large files', () => {
  test('several are sent at once, also of one file, and never more than four of all files', async (context) => {
    const folder = await temporaryFolder(context);
    const service = await openProjectService('disk');
    context.after(() => service.close());
    await mkdir(join(folder, 'in/drives/films'), { recursive: true });
    await writeFile(join(folder, 'in/drives/films/one'), bytesOf(65 * mib));
    await service.inNewProject(async (address) => {
      const [alone, ofOne] = watched(address, () => false);
      await runImport(alone, join(folder, 'in'));
      assert.equal(ofOne.parts.length, 7);
      assertSeveral(ofOne.mostAtOnce);
      for (const name of ['two', 'three']) {
        await writeFile(join(folder, 'in/drives/films', name), bytesOf(33 * mib));
      }
      const [together, ofAll] = watched(address, () => false);
      const { setAside } = await runImport(together, join(folder, 'in'));
      assert.deepEqual(setAside, []);
      assert.equal(ofAll.parts.length, 8);
      assertSeveral(ofAll.mostAtOnce);
      await runExport(address, join(folder, 'out'));
    });
    const [before, after] = [join(folder, 'in/drives'), join(folder, 'out/drives')];
    assert.deepEqual(await filesIn(after), await filesIn(before));
  });

  test('after a cut, only the part that was cut is sent again', async (context) => {
    const folder = await temporaryFolder(context);
    const service = await openProjectService();
    context.after(() => service.close());
    await mkdir(join(folder, 'in/drives/films'), { recursive: true });
    await writeFile(join(folder, 'in/drives/films/one'), bytesOf(65 * mib));
    await service.inNewProject(async (address) => {
      const cut = new Set(['1', '3', '7']);
      const [worse, { parts }] = watched(address, (part) => cut.delete(part));
      assert.deepEqual((await runImport(worse, join(folder, 'in'))).setAside, []);
      assert.equal(cut.size, 0);
      const times = ['1', '2', '3', '4', '5', '6', '7'].map(
        (part) => parts.filter((path) => path.endsWith(`&part=${part}`)).length,
      );
      assert.deepEqual(times, [2, 1, 2, 1, 1, 1, 2]);
      await runExport(address, join(folder, 'out'));
    });
    const [before, after] = [join(folder, 'in/drives'), join(folder, 'out/drives')];
    assert.deepEqual(await filesIn(after), await filesIn(before));
  });

  test('a file whose checksum is wrong at its end leaves no upload and no open file', async (context) => {
    const folder = await temporaryFolder(context);
    const service = await openProjectService();
    context.after(() => service.close());
    await mkdir(join(folder, 'in/drives/films'), { recursive: true });
    const path = join(folder, 'in/drives/films/one');
    await writeFile(path, bytesOf(45 * mib));
    const entry = { drive: 'films', name: 'one', path: 'drives/films/one', content_type: 'a/b' };
    const wrong = { ...entry, size: 45 * mib, sha256: '0'.repeat(64) };
    await writeFile(
      join(folder, 'in/basedrive.json'),
      JSON.stringify({ format: 'basedrive', version: 1, entries: [wrong] }),
    );
    await service.inNewProject(async (address) => {
      const [seen, { parts }] = watched(address, () => false);
      const { setAside, files } = await runImport(seen, join(folder, 'in'));
      assert.deepEqual([files, setAside.map((one) => one.path)], [0, ['drives/films/one']]);
      assert.match(setAside[0]?.problem ?? '', /has another checksum/);
      assert.ok(parts.length > 0);
      for await (const upload of driveOf(address, 'films').uploads()) assert.fail(upload.upload_id);
    });
    // Linux shows what is open.
    const open = await readdir('/proc/self/fd').catch(() => []);
    const paths = await Promise.all(open.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
    assert.ok(!paths.includes(path));
  });

  test('after a failure no further part is read, and the source is closed', async (context) => {
    const service = await openProjectService();
    context.after(() => service.close());
    let read = 0;
    let isClosed = false;
    await service.inNewProject(async (address) => {
      const { uploads } = driveOf(address, 'films');
      async function* chunks() {
        try {
          for (; read < 30; read++) {
            if (read === 1) {
              const { value: upload } = await uploads().next();
              const call = {
                method: 'DELETE',
                path: `/films/uploads/${upload?.upload_id}?name=one`,
              } as const;
              await requestValue(address.endpoint, call, {});
            }
            yield Buffer.alloc(5 * mib);
          }
        } finally {
          isClosed = true;
        }
      }
      const file = { name: 'one', contentType: undefined, expires: undefined, onlyNew: false };
      const content = { size: 150 * mib, chunks: chunks(), inFlight: createSemaphore(4) };
      const stored = storeFile(address, 'films', { ...file, before: undefined }, content);
      await assert.rejects(stored, { code: 'not_found' });
    });
    assert.ok(isClosed);
    assert.ok(read < 20, `${read} parts`);
  });
});
