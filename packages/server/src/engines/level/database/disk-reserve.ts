import { randomBytes } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifThere } from '../../../lib/folder.js';

/**
 * The file `RESERVE` next to LevelDB's files, which LevelDB ignores. It takes room on the disk while there is some, and
 * gives it back when there is none: to delete rows, LevelDB must write.
 */
export const reserveFile = 'RESERVE';

export type DiskReserve = Awaited<ReturnType<typeof openReserve>>;

const stepBytes = 256 * 1024;

export async function openReserve(folder: string) {
  const path = join(folder, reserveFile);
  let bytes = await stat(path).then(
    ({ size }) => size,
    () => 0,
  );
  let resizing: Promise<void> | undefined;
  let isWanted = true;

  async function resize(wanted: number): Promise<void> {
    // Random: a file system that compresses would find no use for zeros. Never sparse, because each step is written.
    const step = randomBytes(stepBytes);
    const file = await open(path, 'a', 0o600);
    const before = bytes;
    try {
      if (bytes > wanted) {
        await file.truncate(wanted);
        bytes = wanted;
      }
      while (isWanted && bytes < wanted) {
        await file.appendFile(step.subarray(0, Math.min(stepBytes, wanted - bytes)));
        bytes = (await file.stat()).size;
      }
      await file.datasync();
    } catch {
      await file.truncate(Math.min(before, wanted)).catch(() => {});
      bytes = (await file.stat()).size;
    } finally {
      await file.close();
    }
  }

  /** Ends a change of its size that is in progress. */
  async function stop(): Promise<void> {
    isWanted = false;
    await resizing;
    isWanted = true;
  }

  return {
    /** Its size. */
    get bytes(): number {
      return bytes;
    },
    /**
     * Makes it as large as this: it grows step by step. It stays as it is if the disk refuses. Call it again when it has
     * ended.
     */
    async resizeTo(wanted: number): Promise<void> {
      resizing ??= resize(wanted)
        .catch(() => {})
        .finally(() => {
          resizing = undefined;
        });
      await resizing;
    },
    /** Gives the whole reserve back. Resolves to its size before. */
    async giveBack(): Promise<number> {
      await stop();
      const given = bytes;
      if (given === 0) return 0;
      // Whoever removed it has given it back.
      const file = await ifThere(open(path, 'r+'));
      bytes = 0;
      if (file === undefined) return 0;
      try {
        await file.truncate(0);
        // Some file systems give the room back only with what they write next.
        await file.sync();
      } finally {
        await file.close();
      }
      return given;
    },
    stop,
  };
}
