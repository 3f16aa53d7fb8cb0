import { mkdir } from 'node:fs/promises';
import { isCode } from '../../lib/folder.js';

/**
 * Makes a folder in one that must be there: where a disk is not mounted, nothing is made. It is not an error if the folder
 * exists. Not `recursive`, with which Node also reports a read-only disk as ENOENT.
 */
export async function makeSubfolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (cause) {
    // Another process may make it at this moment.
    if (!isCode(cause, 'EEXIST')) throw cause;
  }
}
