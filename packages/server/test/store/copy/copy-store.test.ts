import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Store } from '../../../src/engines/store.js';
import {
  blobsOf,
  counted,
  drive,
  fill,
  folderStore,
  large,
  memoryStore,
  openUpload,
  putItems,
  rowsOf,
  runCopy,
} from '../../support/copy-fixture.js';

/** The probe of whether both sides have the same bytes is one of each. */
const probe = 1;

async function assertEqual(source: Store, destination: Store): Promise<void> {
  assert.deepEqual(await rowsOf(destination), await rowsOf(source));
  assert.deepEqual(await blobsOf(destination), await blobsOf(source));
}

describe('copy', () => {
  for (const [name, from, to] of [
    ['memory to a folder', memoryStore, folderStore],
    ['a folder to memory', folderStore, memoryStore],
    ['a folder to a folder', folderStore, folderStore],
  ] as const) {
    test(`copies every kind of row and every byte: ${name}`, async (context) => {
      const source = await from(context);
      const { sweep } = await fill(source);
      await sweep();
      const { store: destination, writes } = counted(await to(context));
      const report = await runCopy(source, destination);
      assert.deepEqual(report.problems, []);
      await assertEqual(source, destination);
      const rows = await rowsOf(source);
      assert.equal(report.rows, rows.length);
      assert.equal(report.rowsPut, rows.length);
      const blobs = (await blobsOf(source)).size;
      // Each blob waits in a row until its name comes.
      assert.equal(writes.rowsPut, rows.length + blobs);
      assert.equal(writes.rowsDeleted, blobs);
      assert.equal(writes.blobsWritten, blobs + probe);
      assert.equal(report.blobsCopied, blobs);
      assert.equal(report.blobsDeleted, 0);
      assert.deepEqual(
        await destination.items.due(4_102_444_800, 10),
        await source.items.due(4_102_444_800, 10),
      );
    });
  }

  test('moves only what changed in a second run', async (context) => {
    const source = await folderStore(context);
    const { drives, sweep } = await fill(source);
    const { store: destination, writes } = counted(await folderStore(context));
    await runCopy(source, destination);
    const idle = { ...writes };
    const unchanged = await runCopy(source, destination);
    assert.equal(
      unchanged.rowsPut + unchanged.rowsDeleted + unchanged.blobsCopied + unchanged.blobsDeleted,
      0,
    );
    assert.deepEqual(writes, {
      ...idle,
      blobsWritten: idle.blobsWritten + probe,
      blobsDeleted: idle.blobsDeleted + probe,
    });

    await putItems(source, 'plain', ['a', 'new'], 4_000_000_000);
    await source.items.transact('base/demo/expiring', [], () => ({ deletes: ['soon'], result: undefined }));
    await source.items.transact('base/demo/other', [], () => ({
      puts: [{ key: 'k', value: Buffer.from('{"key":"k"}') }],
      result: undefined,
    }));
    await drives.put(...drive, 'large', { source: large('L'), contentType: 'text/plain' });
    await drives.remove('other', 'x', ['large']);
    await sweep();
    const second = await runCopy(source, destination);
    assert.deepEqual(second.problems, []);
    assert.equal(second.blobsCopied, 1);
    assert.equal(second.bytesCopied, large('L').length);
    // "a", "new", "k" and the name of the file; the garbage of before is gone at both ends.
    assert.equal(second.rowsPut, 4);
    await assertEqual(source, destination);
  });

  test('takes away a due time that the source no longer has', async (context) => {
    const source = await memoryStore(context);
    const destination = await memoryStore(context);
    const value = Buffer.from('{"key":"k"}');
    const put = (row: { dueSeconds?: number }) =>
      source.items.transact('base/demo/b', [], () => ({
        puts: [{ key: 'k', value, ...row }],
        result: undefined,
      }));
    await put({ dueSeconds: 5 });
    await runCopy(source, destination);
    assert.equal((await destination.items.due(10, 10)).length, 1);
    await put({});
    assert.equal((await runCopy(source, destination)).rowsPut, 1);
    assert.deepEqual(await destination.items.due(10, 10), []);
  });

  test('does not move the blobs again of an upload that became a file', async (context) => {
    const source = await memoryStore(context);
    const services = await fill(source);
    const id = await openUpload(services, 'late', 'a', 'b');
    const destination = await memoryStore(context);
    await runCopy(source, destination);
    await services.drives.uploads.end(...drive, 'late', { uploadId: id });
    const second = await runCopy(source, destination);
    assert.equal(second.blobsCopied, 0);
    assert.equal(second.blobsDeleted, 0);
    assert.deepEqual(await rowsOf(destination), await rowsOf(source));
    const third = await runCopy(source, destination, { verify: true });
    assert.equal(third.blobsMended, 0);
    assert.deepEqual(third.problems, []);
  });

  test('deletes bases and drives that the source no longer has, with their bytes', async (context) => {
    const source = await memoryStore(context);
    const { drives, sweep } = await fill(source);
    const destination = await memoryStore(context);
    await runCopy(source, destination);
    await drives.remove(...drive, ['small', 'empty', 'large', 'joined', 'overwritten']);
    await source.items.transact('base/demo/plain', [], () => ({
      deletes: ['a', 'b', 'ü', '\u{1f600}', '\uffee'],
      result: undefined,
    }));
    await sweep();
    const report = await runCopy(source, destination);
    assert.deepEqual(report.problems, []);
    assert.ok(report.blobsDeleted > 0);
    await assertEqual(source, destination);
  });
});
