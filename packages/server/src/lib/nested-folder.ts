import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';

/** Whether a path, which need not be there yet, is inside a folder, and not the folder itself. Links are followed. */
export function isBelow(path: string, folder: string): boolean {
  const [first] = relative(realPath(folder), realPath(path)).split(sep);
  return first !== '' && first !== '..';
}

/** The path without links, also of a folder that is not there yet. */
export function realPath(path: string): string {
  const absolute = resolve(path);
  if (existsSync(absolute)) return realpathSync(absolute);
  const parent = dirname(absolute);
  return parent === absolute ? absolute : join(realPath(parent), relative(parent, absolute));
}
