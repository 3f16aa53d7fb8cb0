import { closeSync, open, read } from 'node:fs';

/**
 * The first `sizeBytes` of a file, fewer when it has fewer. By callbacks: through a `FileHandle` and its promises the
 * same three calls cost twice as much of the event loop.
 */
export function readFirstBytes(path: string, sizeBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    open(path, 'r', (failure, file) => {
      if (failure !== null) {
        reject(failure);
        return;
      }
      const buffer = Buffer.allocUnsafeSlow(sizeBytes);
      const over = (then: () => void) => {
        closeRead(file);
        then();
      };
      const more = (at: number) => {
        read(file, buffer, at, sizeBytes - at, at, (failed, bytes) => {
          if (failed !== null) over(() => reject(failed));
          else if (bytes === 0 || at + bytes === sizeBytes)
            over(() => resolve(buffer.subarray(0, at + bytes)));
          else more(at + bytes);
        });
      };
      more(0);
    });
  });
}

/** In place, at 2 µs where a thread's time takes 10 to ask for: the disk has no part in closing what was only read. */
function closeRead(file: number): void {
  try {
    closeSync(file);
  } catch {
    // The bytes are here: nothing can go wrong with them any more.
  }
}
