import { closeSync, open, read } from 'node:fs';

/**
 * The first `sizeBytes` of a file, or all of a shorter one. It uses callbacks: with the promises of a `FileHandle`, the
 * same three calls take twice as much time of the event loop.
 */
export function readFirstBytes(path: string, sizeBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    open(path, 'r', (failure, file) => {
      if (failure !== null) {
        reject(failure);
        return;
      }
      readBytes(file, 0, sizeBytes)
        .finally(() => closeRead(file))
        .then(resolve, reject);
    });
  });
}

/** `sizeBytes` of an open file from a position on, or less at its end, in a buffer that the caller may keep. */
export async function readBytes(file: number, position: number, sizeBytes: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(sizeBytes);
  return buffer.subarray(0, await readInto(buffer, file, position));
}

/** Fills a buffer from a position of an open file on, and gives how many bytes there were before its end. */
export function readInto(buffer: Buffer, file: number, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const readFrom = (at: number) => {
      read(file, buffer, at, buffer.length - at, position + at, (failed, bytes) => {
        if (failed !== null) reject(failed);
        else if (bytes === 0 || at + bytes === buffer.length) resolve(at + bytes);
        else readFrom(at + bytes);
      });
    };
    readFrom(0);
  });
}

/**
 * Closes synchronously: that takes 2 µs, a call of the thread pool 10. Closing a file that was only read needs no disk.
 */
function closeRead(file: number): void {
  try {
    closeSync(file);
  } catch {
    // The bytes have been read.
  }
}
