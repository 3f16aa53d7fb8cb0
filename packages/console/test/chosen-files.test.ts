import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filesOfDrop } from '../src/drives/uploads/chosen-files.js';

const file = (path: string) => ({
  isFile: true,
  fullPath: path,
  file: (take: (file: object) => void) => take({}),
});

/** A folder whose entries a browser gives in pieces. */
function folder(path: string, entries: readonly object[]): object {
  const pieces = Array.from({ length: Math.ceil(entries.length / 100) }, (_, n) =>
    entries.slice(n * 100, (n + 1) * 100),
  );
  const readEntries = (take: (some: readonly object[]) => void) => take(pieces.shift() ?? []);
  return { isFile: false, fullPath: path, createReader: () => ({ readEntries }) };
}

const drop = (entries: readonly object[]) =>
  ({ items: entries.map((entry) => ({ webkitGetAsEntry: () => entry })) }) as unknown as DataTransfer;

test('folders with any number of files are dropped, in their order', async () => {
  const count = 250_000;
  const many = Array.from({ length: count }, (_, n) => file(`/all/many/${n}.txt`));
  const all = folder('/all', [file('/all/a.txt'), folder('/all/many', many), file('/all/z.txt')]);
  const { files, unreadable } = await filesOfDrop(drop([all]));
  assert.deepEqual(unreadable, []);
  assert.equal(files.length, count + 2);
  assert.deepEqual(
    [0, 1, count, count + 1].map((at) => files[at]?.path),
    ['all/a.txt', 'all/many/0.txt', `all/many/${count - 1}.txt`, 'all/z.txt'],
  );
});
