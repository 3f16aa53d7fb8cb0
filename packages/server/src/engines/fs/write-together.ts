import type { FileHandle } from 'node:fs/promises';
import { giveBack } from '../../lib/block-pool.js';

/** Writes buffers one after the other, and gives their memory back. `position`: where the first one begins; the end if absent. */
export async function writeTogether(
  handle: FileHandle,
  buffers: readonly Buffer[],
  position?: number,
): Promise<void> {
  let { bytesWritten } = await handle.writev(buffers, position);
  let begin = position;
  for (const buffer of buffers) {
    let at = Math.min(bytesWritten, buffer.length);
    bytesWritten -= at;
    // A write may take less than it was given.
    while (at < buffer.length)
      at += (await handle.write(buffer, at, buffer.length - at, begin === undefined ? null : begin + at))
        .bytesWritten;
    if (begin !== undefined) begin += buffer.length;
    giveBack(buffer);
  }
}
