import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pickedTarget } from '../src/disk/picked-target.js';

/** A file that the browser has made empty, and whose writing fails as on a full disk. */
function brokenFile(): { readonly handle: FileSystemFileHandle; isRemoved(): boolean } {
  let isRemoved = false;
  const handle = {
    createWritable: async () => ({
      write: () => Promise.reject(new Error('full')),
      // As the streams standard says of a stream that is broken.
      abort: () => Promise.reject(new Error('full')),
    }),
    getFile: async () => new Blob([]),
    remove: async () => {
      isRemoved = true;
    },
  };
  return { handle: handle as unknown as FileSystemFileHandle, isRemoved: () => isRemoved };
}

test('of a file that could not be written, nothing is left on the disk of the user', async () => {
  const { handle, isRemoved } = brokenFile();
  const target = pickedTarget(handle);
  await target.open();
  await assert.rejects(target.write(new Uint8Array(1)));
  await target.drop();
  assert.ok(isRemoved());
});
