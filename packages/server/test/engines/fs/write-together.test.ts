import assert from 'node:assert/strict';
import type { FileHandle } from 'node:fs/promises';
import { test } from 'node:test';
import { writeTogether } from '../../../src/engines/fs/write-together.js';

/** A file on a disk that takes only a few bytes at a time, as one that is nearly full does. */
function slowFile(atOnce: number) {
  const content = Buffer.alloc(100);
  let end = 0;
  const take = (bytes: Buffer, position: number | null | undefined): number => {
    const count = Math.min(atOnce, bytes.length);
    const at = position ?? end;
    bytes.copy(content, at, 0, count);
    if (position === undefined || position === null) end += count;
    return count;
  };
  const handle = {
    writev: async (buffers: Buffer[], position?: number) => ({
      bytesWritten: take(Buffer.concat(buffers), position),
    }),
    write: async (bytes: Buffer, offset: number, length: number, position: number | null) => ({
      bytesWritten: take(bytes.subarray(offset, offset + length), position),
    }),
  } as unknown as FileHandle;
  return { handle, content };
}

for (const atOnce of [1, 3, 7, 50]) {
  test(`all bytes are written to a file that takes ${atOnce} at a time`, async () => {
    const buffers = ['header', 'some bytes', '', 'the rest'].map((text) => Buffer.from(text));
    const all = Buffer.concat(buffers);
    const atPlace = slowFile(atOnce);
    await writeTogether(atPlace.handle, buffers, 40);
    assert.ok(atPlace.content.subarray(40, 40 + all.length).equals(all));
    const atEnd = slowFile(atOnce);
    await writeTogether(atEnd.handle, buffers);
    assert.ok(atEnd.content.subarray(0, all.length).equals(all));
  });
}
