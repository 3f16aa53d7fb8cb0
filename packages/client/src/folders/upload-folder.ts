import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Drive } from '../drive/drive.js';
import { invalid } from '../http/error.js';
import { FileProblem, type FolderOptions, type FolderResult, partialName, transferAll } from './folder.js';

/**
 * Uploads the files of a folder, and of the folders in it, to a drive: `a/b.txt` in it becomes the file `a/b.txt`. It
 * can be run again, after an interruption or to bring the drive up to date: a file is kept that has the same size in
 * the drive, and has not been changed since it was stored. No file is deleted. Memory: some hundred bytes for each
 * file that the drive has, and a few parts of large files.
 *
 * Links and devices are in `failed`, and so are names that the drive refuses.
 * @throws a `BasedriveError`, or the error of the file system, that is not about a single file
 * @example const { files, kept } = await uploadFolder(Drive('photos'), './photos', { prefix: '2024/' });
 */
export async function uploadFolder(
  drive: Pick<Drive, 'files' | 'put'>,
  folder: string,
  options: FolderOptions = {},
): Promise<FolderResult> {
  const { prefix = '', signal } = options;
  if (typeof folder !== 'string') throw invalid('Folder must be a path');
  const root = resolve(folder);
  const found = await stat(root).catch(() => undefined);
  if (found?.isDirectory() !== true) throw invalid(`There is no folder ${root}`);
  const present = new Map<string, { size: number | undefined; modified: number | undefined }>();
  for await (const { name, size, modified } of drive.files({ prefix, signal })) {
    present.set(name, { size, modified });
  }

  async function* works() {
    for await (const [path, isFile] of walk(root, '')) {
      const name = prefix + path;
      yield [
        name,
        async (counted: (bytes: number) => void, ends: AbortSignal) => {
          if (!isFile) throw new FileProblem('It is a link or a device, not a file');
          const full = join(root, path);
          const { size, mtimeMs } = await stat(full);
          const stored = present.get(name);
          const isStored = stored?.size === size && Number(stored.modified) >= Math.floor(mtimeMs / 1000);
          if (isStored) return 'kept' as const;
          let sent = 0;
          const onProgress = (progress: { readonly sent: number }) => {
            counted(progress.sent - sent);
            sent = progress.sent;
          };
          await drive.put(name, { path: full }, { signal: ends, onProgress });
          return 'done' as const;
        },
      ] as const;
    }
  }
  return await transferAll(works(), options);
}

/** The paths of all files below a folder, with `/` between their parts, and whether each is a file. */
async function* walk(
  root: string,
  below: string,
): AsyncGenerator<readonly [string, boolean], void, undefined> {
  const entries = await readdir(join(root, below), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) yield* walk(root, path);
    else if (!partialName.test(entry.name)) yield [path, entry.isFile()] as const;
  }
}
