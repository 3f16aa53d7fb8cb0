import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BlobStore } from '../../../../src/engines/blob-store.js';
import { StorageUnavailable } from '../../../../src/engines/storage-errors.js';
import type { Store } from '../../../../src/engines/store.js';
import { checkStore } from '../../../../src/store/check/check-store.js';
import { disturbed } from '../../../support/busy-files.js';
import {
  blobsOf,
  drive,
  fill,
  folderStore,
  large,
  largeBytes,
  memoryStore,
  openUpload,
  problemsOf,
  rowsOf,
  runCopy,
  servicesOver,
} from '../../../support/copy-fixture.js';
import { createGate } from '../../../support/gate.js';

const space = 'drive/demo/photos';

/** A store whose blob with these bytes comes out changed by `change`. */
function withBlob(store: Store, letter: string, change: (bytes: Buffer) => Buffer): Store {
  const { blobs } = store;
  return {
    ...store,
    blobs: {
      ...blobs,
      async *read(id, range) {
        for await (const chunk of blobs.read(id, range)) {
          yield chunk.every((byte) => byte === letter.charCodeAt(0)) ? change(Buffer.from(chunk)) : chunk;
        }
      },
    },
  };
}

function namesBlobsThatAreThere(rows: Awaited<ReturnType<typeof rowsOf>>, blobs: Map<string, Buffer>): void {
  for (const row of rows) {
    if (!row.key.startsWith('name/') && !row.key.startsWith('part/')) continue;
    const { id, layout, sizeBytes } = JSON.parse(row.value.toString());
    if (layout === 'blob') assert.equal(blobs.get(id)?.length, sizeBytes, row.key);
  }
}

describe('copy, when something is wrong,', () => {
  for (const [what, change, problem] of [
    [
      'changed',
      (bytes: Buffer) => bytes.fill(0, 0, 1),
      /^its bytes, blob [0-9a-f]{32}, have another checksum$/,
    ],
    ['cut', (bytes: Buffer) => bytes.subarray(1), /are \d+, they should be 300000$/],
  ] as const) {
    test(`reports bytes of the source that are ${what}, leaves out their file and copies the rest`, async (context) => {
      const source = await memoryStore(context);
      await fill(source);
      const destination = await memoryStore(context);
      const report = await runCopy(withBlob(source, 'l', change), destination);
      assert.equal(report.problemCount, 1);
      const [found] = report.problems;
      assert.deepEqual([found?.where, found?.key], [space, 'name/large']);
      assert.match(found?.problem ?? '', problem);
      const expected = (await rowsOf(source)).filter(
        (row) => row.key !== 'name/large' || row.space !== space,
      );
      assert.deepEqual(await rowsOf(destination), expected);

      const mended = await runCopy(source, destination);
      assert.deepEqual([mended.problemCount, mended.rowsPut, mended.blobsCopied], [0, 1, 1]);
      assert.deepEqual(await rowsOf(destination), await rowsOf(source));
    });
  }

  test('reports the file and the part of a missing blob, and keeps no blob of their other parts', async (context) => {
    const source = await memoryStore(context);
    const services = await fill(source);
    for (const [id, bytes] of await blobsOf(source)) {
      if (bytes[0] === 'q'.charCodeAt(0) || bytes[0] === 'r'.charCodeAt(0)) await source.blobs.delete([id]);
    }
    const destination = await memoryStore(context);
    const report = await runCopy(source, destination);
    const keys = report.problems.map(({ key }) => key.replace(/[0-9a-f]{32}/, 'ID'));
    assert.deepEqual(keys.sort(), ['name/joined', 'part/ID/00001']);
    // The first part of the joined file was copied before the second was missed.
    const letters = [...(await blobsOf(destination)).values()].map((bytes) =>
      String.fromCharCode(bytes[0] ?? 0),
    );
    assert.deepEqual(letters.sort(), ['2', 'l', 's', 'x']);
    await services.drives.remove(...drive, ['joined']);
    assert.equal((await runCopy(source, destination)).problemCount, 1);
  });

  test('reports no problem for a file that is deleted or overwritten while it is copied', async (context) => {
    const source = await memoryStore(context);
    const { drives, sweep } = servicesOver(source);
    await drives.put(...drive, 'deleted', { source: large('d'), contentType: 'text/plain' });
    await drives.put(...drive, 'overwritten', { source: large('o'), contentType: 'text/plain' });
    const id = await openUpload(servicesOver(source), 'aborted', 'a', 'b');
    const { blobs } = source;
    const destination = await memoryStore(context);
    let hasChanged = false;
    let phase = '';
    const racing: BlobStore = {
      ...blobs,
      async *read(blob, range) {
        // Before that, it is looked whether both sides have the same bytes.
        if (!hasChanged && phase === 'copying') {
          hasChanged = true;
          await drives.remove(...drive, ['deleted']);
          await drives.put(...drive, 'overwritten', { source: large('n'), contentType: 'text/plain' });
          await drives.uploads.abort(...drive, 'aborted', id);
          await sweep();
        }
        yield* blobs.read(blob, range);
      },
    };
    const listen = (progress: { phase: string }) => {
      phase = progress.phase;
    };
    const report = await runCopy({ ...source, blobs: racing }, destination, { listen });
    assert.ok(hasChanged);
    assert.deepEqual(report.problems, []);
    namesBlobsThatAreThere(await rowsOf(destination), await blobsOf(destination));
    const final = await runCopy(source, destination);
    assert.deepEqual(final.problems, []);
    assert.deepEqual(await rowsOf(destination), await rowsOf(source));
    assert.deepEqual(await blobsOf(destination), await blobsOf(source));
  });

  test('leaves out files whose bytes are gone that came and went just before their names were put', async (context) => {
    const source = await memoryStore(context);
    const { drives, sweep } = await fill(source);
    const destination = await memoryStore(context);
    await runCopy(source, destination);
    const put = (name: string, letter: string) =>
      drives.put(...drive, name, { source: large(letter), contentType: 'text/plain' });
    const racing: Store = {
      ...source,
      items: {
        ...source.items,
        async snapshot(of) {
          if (of !== space) return await source.items.snapshot(of);
          for (const name of ['deleted', 'overwritten', 'moved', 'stays']) await put(name, name);
          const snapshot = await source.items.snapshot(of);
          await drives.remove(...drive, ['deleted']);
          await put('overwritten', 'new');
          await drives.move(...drive, { files: [{ from: 'moved', to: 'a' }], overwrite: false });
          await sweep();
          return snapshot;
        },
      },
    };
    const report = await runCopy(racing, destination);
    assert.deepEqual(report.problems, []);
    assert.equal(report.rowsChangedMeanwhile, 2);
    const names = (await rowsOf(destination)).map(({ key }) => key);
    for (const name of ['moved', 'stays']) assert.ok(names.includes(`name/${name}`), name);
    for (const name of ['deleted', 'overwritten', 'a']) assert.ok(!names.includes(`name/${name}`), name);
    namesBlobsThatAreThere(await rowsOf(destination), await blobsOf(destination));
    assert.deepEqual(await problemsOf(destination), []);
    const held = servicesOver(source);
    await runCopy(source, destination, { holdGarbage: held.drives.holdGarbage });
    assert.deepEqual(await rowsOf(destination), await rowsOf(source));
    assert.deepEqual(await blobsOf(destination), await blobsOf(source));
  });

  test('counts a file once that is moved over one that is being copied', async (context) => {
    const source = await memoryStore(context);
    const { drives, sweep } = servicesOver(source);
    for (let n = 0; n < 300; n++)
      await drives.put(...drive, `f${n}`, { source: Buffer.from(`small ${n}`), contentType: 'text/plain' });
    await drives.put(...drive, 'z', { source: large('z'), contentType: 'text/plain' });
    const destination = await memoryStore(context);
    let phase = '';
    let done = 0;
    async function afterRows(): Promise<void> {
      if (done !== 0 || phase !== 'copying') return;
      done = 1;
      await drives.put(...drive, 'z.new', { source: Buffer.from('new'), contentType: 'text/plain' });
    }
    const { blobs } = source;
    const { items } = disturbed(source, afterRows);
    const racing: BlobStore = {
      ...blobs,
      async *read(id, range) {
        if (done === 1) {
          done = 2;
          await drives.move(...drive, { files: [{ from: 'z.new', to: 'z' }], overwrite: true });
          await sweep();
        }
        yield* blobs.read(id, range);
      },
    };
    const listen = (progress: { phase: string }) => {
      phase = progress.phase;
    };
    const report = await runCopy({ items, blobs: racing }, destination, { listen });
    assert.equal(done, 2);
    assert.deepEqual(report.problems, []);
    assert.deepEqual(await rowsOf(destination), await rowsOf(source));
  });

  test('copies the bytes of a small file whose server has a clock that is behind', async (context) => {
    const source = await memoryStore(context);
    const { drives } = servicesOver(source, () => Date.now() - 7_200_000);
    for (let n = 0; n < 300; n++)
      await drives.put(...drive, `f${n}`, { source: Buffer.from(`small ${n}`), contentType: 'text/plain' });
    let phase = '';
    let isPut = false;
    const racing = disturbed(source, async () => {
      if (isPut || phase !== 'copying') return;
      isPut = true;
      for (const name of ['z1', 'z2', 'z3', 'z4', 'z5'])
        await drives.put(...drive, name, { source: Buffer.from(name), contentType: 'text/plain' });
    });
    const listen = (progress: { phase: string }) => {
      phase = progress.phase;
    };
    const destination = await memoryStore(context);
    assert.deepEqual((await runCopy(racing, destination, { listen })).problems, []);
    assert.ok(isPut);
    assert.deepEqual(await problemsOf(destination), []);
  });

  test('copies a source whose files share a content, as copies of earlier versions may', async (context) => {
    const source = await folderStore(context);
    const services = await fill(source);
    const value = await source.items.get(space, 'name/large');
    assert.ok(value !== undefined);
    const puts = [{ key: 'name/again', value }];
    await source.items.transact(space, [], () => ({ puts, result: undefined }));
    const destination = await folderStore(context);
    assert.deepEqual((await runCopy(source, destination)).problems, []);
    assert.deepEqual(await rowsOf(destination), await rowsOf(source));
    await services.drives.move(...drive, { files: [{ from: 'again', to: 'b' }], overwrite: false });
    assert.deepEqual((await runCopy(source, destination)).problems, []);
    assert.deepEqual(await rowsOf(destination), await rowsOf(source));
    await source.items.transact(space, [], () => ({ deletes: ['name/b'], result: undefined }));
    assert.equal((await runCopy(source, destination)).blobsDeleted, 0);
    assert.deepEqual(await problemsOf(destination), []);
  });

  test('copies small files and uploads that end while their drive is read with their bytes', async (context) => {
    const source = await memoryStore(context);
    const services = servicesOver(source);
    const { drives } = services;
    for (let n = 0; n < 300; n++)
      await drives.put(...drive, `f${n}`, { source: Buffer.from(`old ${n}`), contentType: 'text/plain' });
    const id = await openUpload(services, 'joined', 'a', 'b');
    await drives.uploads.part(...drive, 'joined', {
      uploadId: id,
      source: Buffer.from('small tail'),
      part: 2,
      contentType: undefined,
    });
    const destination = await memoryStore(context);
    let rowBatches = 0;
    const racing = {
      ...source,
      items: {
        ...source.items,
        async *scan(...given: Parameters<typeof source.items.scan>) {
          yield* source.items.scan(...given);
          if (given[0] !== space || ++rowBatches !== 4) return;
          // Of the content that comes now, nothing was in the rowBatches before.
          await drives.put(...drive, 'f299', { source: Buffer.from('new'), contentType: 'text/plain' });
          await drives.put(...drive, 'g', { source: Buffer.from('another'), contentType: 'text/plain' });
          await drives.uploads.part(...drive, 'joined', {
            uploadId: id,
            source: Buffer.from('other tail'),
            part: 2,
            contentType: undefined,
          });
          await drives.uploads.end(...drive, 'joined', { uploadId: id });
        },
      },
    };
    const report = await runCopy(racing, destination);
    assert.deepEqual(report.problems, []);
    const names = (await rowsOf(destination)).filter(({ key }) => key.startsWith('name/'));
    assert.equal(names.length, 302);
    const checked = await checkStore({ ...destination, clock: Date.now, orphanAgeSeconds: 0 });
    assert.deepEqual(checked.problems, []);
    const second = await runCopy(source, destination);
    assert.deepEqual(second.problems, []);
    assert.deepEqual(await rowsOf(destination), await rowsOf(source));
  });

  test('reports a row that cannot be read, and copies the rest', async (context) => {
    const source = await memoryStore(context);
    await fill(source);
    const bad = { key: 'name/bad', value: Buffer.from('{"id":') };
    await source.items.transact(space, [], () => ({ puts: [bad], result: undefined }));
    const destination = await memoryStore(context);
    const report = await runCopy(source, destination);
    assert.equal(report.problemCount, 1);
    assert.match(report.problems[0]?.problem ?? '', /^its row cannot be read/);
    assert.deepEqual(
      await rowsOf(destination),
      (await rowsOf(source)).filter((row) => row.key !== 'name/bad'),
    );
  });

  test('ends when the destination writes other bytes than it was given', async (context) => {
    const source = await memoryStore(context);
    await fill(source);
    const destination = await memoryStore(context);
    const { blobs } = destination;
    const lying: BlobStore = {
      ...blobs,
      write: async (id, chunks) => ({ ...(await blobs.write(id, chunks)), crc32: 1 }),
    };
    await assert.rejects(runCopy(source, { ...destination, blobs: lying }), StorageUnavailable);
    namesBlobsThatAreThere(await rowsOf(destination), await blobsOf(destination));
    assert.equal((await blobsOf(destination)).size, 0);
  });

  test('ends when an engine cannot be reached, leaves nothing in progress, and is continued by the next run', async (context) => {
    const source = await folderStore(context);
    await (await fill(source)).sweep();
    const total = (await blobsOf(source)).size;
    const destination = await memoryStore(context);
    const { blobs } = destination;
    let left = 3;
    let underWay = 0;
    const failing: BlobStore = {
      ...blobs,
      async write(id, chunks) {
        if (left-- === 0) throw new StorageUnavailable('away');
        underWay++;
        try {
          return await blobs.write(id, chunks);
        } finally {
          underWay--;
        }
      },
    };
    await assert.rejects(runCopy(source, { ...destination, blobs: failing }), StorageUnavailable);
    assert.equal(underWay, 0);
    const there = await blobsOf(destination);
    namesBlobsThatAreThere(await rowsOf(destination), there);
    const report = await runCopy(source, destination);
    assert.deepEqual(report.problems, []);
    assert.equal(report.blobsCopied, total - there.size);
    assert.deepEqual(await rowsOf(destination), await rowsOf(source));
    assert.deepEqual(await blobsOf(destination), await blobsOf(source));
  });

  test('is ended by a signal in the middle of a blob', async (context) => {
    const source = await folderStore(context);
    await fill(source);
    const controller = new AbortController();
    const reached = createGate();
    const destination = await memoryStore(context);
    const { blobs } = destination;
    let isHeld = false;
    const slow: BlobStore = {
      ...blobs,
      write(id, chunks) {
        return blobs.write(
          id,
          (async function* () {
            for await (const chunk of chunks) {
              yield chunk;
              if (chunk.length < largeBytes / 2 || isHeld) continue;
              isHeld = true;
              controller.abort();
              reached.open();
            }
          })(),
        );
      },
    };
    await assert.rejects(
      runCopy(source, { ...destination, blobs: slow }, { signal: controller.signal }),
      /ended before it was done/,
    );
    await reached.passed;
    assert.equal((await blobsOf(destination)).size, 0);
  });

  test('copies with --verify what was damaged or lost at the destination, and reports what neither side has', async (context) => {
    const source = await memoryStore(context);
    await fill(source);
    const destination = await memoryStore(context);
    await runCopy(source, destination);
    const whole = await blobsOf(destination);
    const idOf = (letter: string) =>
      [...whole].find(([, bytes]) => bytes[0] === letter.charCodeAt(0))?.[0] ?? assert.fail(letter);
    await destination.blobs.delete([idOf('l'), idOf('x')]);
    await destination.blobs.write(idOf('p'), [Buffer.from('other bytes')]);
    const blind = await runCopy(source, destination);
    assert.equal(blind.blobsCopied, 0);
    await source.blobs.delete([idOf('x')]);
    const report = await runCopy(source, destination, { verify: true });
    assert.equal(report.blobsMended, 2);
    assert.equal(report.blobsVerified, whole.size);
    assert.deepEqual(
      report.problems.map(({ where, key }) => [where, key]),
      [['drive/other/x', 'name/large']],
    );
    whole.delete(idOf('x'));
    assert.deepEqual(await blobsOf(destination), whole);
  });
});
