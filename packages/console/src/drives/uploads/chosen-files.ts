/** A file that the user has chosen or dropped, with its path below what was dropped: `trip/cat.png`. */
export interface ChosenFile {
  readonly path: string;
  readonly file: File;
}

/** The files of an input field; with `webkitdirectory`, their paths begin with the folder's name. */
export function filesOfInput(input: HTMLInputElement): readonly ChosenFile[] {
  return Array.from(input.files ?? [], (file) => ({
    path: file.webkitRelativePath === '' ? file.name : file.webkitRelativePath,
    file,
  }));
}

/** What was found in a drop. */
export interface DroppedFiles {
  readonly files: readonly ChosenFile[];
  /** The paths of files and folders that the browser cannot read. */
  readonly unreadable: readonly string[];
}

/** All files in what was dropped, also in folders. Call it within the event: the browser forgets the drop after it. */
export async function filesOfDrop(dropped: DataTransfer): Promise<DroppedFiles> {
  const entries = Array.from(dropped.items)
    .map((item) => item.webkitGetAsEntry())
    .filter((entry) => entry !== null);
  const unreadable: string[] = [];
  const found = await Promise.all(entries.map((entry) => filesBelow(entry, unreadable)));
  return { files: found.flat(), unreadable };
}

async function filesBelow(entry: FileSystemEntry, unreadable: string[]): Promise<ChosenFile[]> {
  const path = entry.fullPath.replace(/^\//, '');
  const found: ChosenFile[] = [];
  try {
    if (entry.isFile) {
      const file = await new Promise<File>((resolve, reject) =>
        (entry as FileSystemFileEntry).file(resolve, reject),
      );
      return [{ path, file }];
    }
    for (const child of await childrenOf(entry as FileSystemDirectoryEntry)) {
      // Not as arguments: a call takes some 100,000 of them.
      for (const one of await filesBelow(child, unreadable)) found.push(one);
    }
  } catch {
    unreadable.push(path);
  }
  return found;
}

/** A browser gives the entries of a folder in pieces, and an empty one at the end. */
async function childrenOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return all;
    all.push(...some);
  }
}
