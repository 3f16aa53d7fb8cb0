import { close, open } from 'node:fs';

/** The packs that are read, kept open: to open and close a file takes as long as to read a small blob from it. */
export type OpenPacks = ReturnType<typeof createOpenPacks>;

export interface TakenPack {
  readonly file: Promise<number>;
  release(): void;
}

interface OpenPack {
  readonly file: Promise<number>;
  users: number;
  isForgotten: boolean;
}

/** A process may open 1,024 files by default, most of which are for connections. */
const openAtOnce = 64;

export function createOpenPacks(pathOf: (pack: string) => string) {
  /** Those that were used last are at the end. */
  const packs = new Map<string, OpenPack>();
  let isClosed = false;

  function closeUnlessUsed(pack: OpenPack): void {
    // Not synchronously: who closes a file that has no name any more waits until its room is free.
    if (pack.isForgotten && pack.users === 0) pack.file.then((file) => close(file, () => {})).catch(() => {});
  }

  /**
   * Call it when another file has taken the place of a pack, or none, or when it could not be read. Who has taken it reads the
   * old file to the end.
   */
  function forget(name: string): void {
    const pack = packs.get(name);
    if (pack === undefined) return;
    packs.delete(name);
    pack.isForgotten = true;
    closeUnlessUsed(pack);
  }

  function openPack(name: string): OpenPack {
    const pack = { file: openToRead(pathOf(name)), users: 0, isForgotten: isClosed };
    // The next one tries again: the disk may be mounted then.
    pack.file.catch(() => {
      if (packs.get(name) === pack) forget(name);
    });
    return pack;
  }

  /** Opens a pack, or gives the file that is open. It is not closed before `release` is called, once. */
  function take(name: string): TakenPack {
    const pack = packs.get(name) ?? openPack(name);
    pack.users++;
    if (!pack.isForgotten) {
      packs.delete(name);
      packs.set(name, pack);
    }
    const [oldest] = packs.keys();
    if (packs.size > openAtOnce && oldest !== undefined) forget(oldest);
    return {
      file: pack.file,
      release() {
        pack.users--;
        closeUnlessUsed(pack);
      },
    };
  }

  return {
    take,
    /** Calls `use` with the file of a pack, which is not closed before the result settles. Rejects if it cannot be opened. */
    async with<T>(name: string, use: (file: number) => Promise<T>): Promise<T> {
      const pack = take(name);
      try {
        return await use(await pack.file);
      } finally {
        pack.release();
      }
    },
    forget,
    close(): void {
      isClosed = true;
      for (const name of [...packs.keys()]) forget(name);
    },
  };
}

function openToRead(path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    open(path, 'r', (failure, file) => (failure === null ? resolve(file) : reject(failure)));
  });
}
