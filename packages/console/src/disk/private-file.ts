/**
 * Files on the disk that a browser gives a page (the origin private file system): over HTTPS, and on this machine. Each
 * is in a folder of its own, with a lock that its tab holds as long as it needs it. A folder whose lock nobody holds was
 * left behind.
 */
export interface PrivateFile {
  write(bytes: Uint8Array<ArrayBuffer> | Blob): Promise<void>;
  /** Gives the complete file, to be read now: some minutes later it is deleted. */
  finish(): Promise<File>;
  /** Deletes it. */
  drop(): Promise<void>;
}

const folderName = 'downloads';
/** The names in the folder of a file. The second one is there once the file is complete. */
const fileName = 'file';
const completeName = 'complete';
const lockOf = (id: string) => `basedrive-download-${id}`;

/** How long a browser may take to copy a complete file: a minute, and more at 5 MB a second. */
const keptMs = (bytes: number) => 60_000 + bytes / 5000;

/** The folder of these files; undefined if the browser gives none, as some do in private windows. */
async function openFolder(): Promise<FileSystemDirectoryHandle | undefined> {
  if (navigator.storage?.getDirectory === undefined || navigator.locks === undefined) return undefined;
  // Older browsers write such files only in workers.
  if (!('createWritable' in FileSystemFileHandle.prototype)) return undefined;
  try {
    return await (await navigator.storage.getDirectory()).getDirectoryHandle(folderName, { create: true });
  } catch {
    return undefined;
  }
}

export async function hasPrivateFiles(): Promise<boolean> {
  return (await openFolder()) !== undefined;
}

/** Makes an empty file; undefined if the browser gives the page no disk. Rejects if it is full. */
export async function openPrivateFile(): Promise<PrivateFile | undefined> {
  const folder = await openFolder();
  if (folder === undefined) return undefined;
  const id = crypto.randomUUID();
  // First the lock, so that no other tab takes the folder for a leftover.
  const release = await hold(lockOf(id));
  let timer: ReturnType<typeof setTimeout> | undefined;
  let writable: FileSystemWritableFileStream | undefined;
  const drop = async () => {
    clearTimeout(timer);
    await writable?.abort().catch(() => {});
    await folder.removeEntry(id, { recursive: true }).catch(() => {});
    release();
  };
  try {
    const place = await folder.getDirectoryHandle(id, { create: true });
    const handle = await place.getFileHandle(fileName, { create: true });
    const opened = await handle.createWritable();
    writable = opened;
    return {
      write: (bytes) => opened.write(bytes),
      async finish() {
        await opened.close();
        writable = undefined;
        await place.getFileHandle(completeName, { create: true });
        const file = await handle.getFile();
        timer = setTimeout(() => void drop(), keptMs(file.size));
        return file;
      },
      drop,
    };
  } catch (cause) {
    await drop();
    throw cause;
  }
}

/** Deletes what tabs have left that were closed, or have crashed. Complete files stay while a browser may copy them. */
export async function deleteLeftFiles(): Promise<void> {
  const folder = await openFolder();
  for await (const id of folder?.keys() ?? []) {
    await navigator.locks.request(lockOf(id), { ifAvailable: true }, async (lock) => {
      if (lock === null || folder === undefined) return;
      const leftMs = await msUntilUnused(await folder.getDirectoryHandle(id));
      const remove = () => folder.removeEntry(id, { recursive: true }).catch(() => {});
      if (leftMs <= 0) await remove();
      else setTimeout(() => void remove(), leftMs);
    });
  }
}

async function msUntilUnused(place: FileSystemDirectoryHandle): Promise<number> {
  try {
    const complete = await (await place.getFileHandle(completeName)).getFile();
    const { size } = await (await place.getFileHandle(fileName)).getFile();
    return complete.lastModified + keptMs(size) - Date.now();
  } catch {
    return 0;
  }
}

/** Takes a lock. Gives a function that gives it up. */
function hold(name: string): Promise<() => void> {
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(name, () => new Promise<void>((release) => resolve(() => release())))
      .catch(reject);
  });
}
