import { folded, isSafeSegment, maxSegmentBytes, safeBeginning } from 'basedrive-client/safe-segment';
import { numbered } from '../names/numbered.js';

/**
 * Gives names their paths in the zip, so that every common file system can unpack it. A part of a name that cannot be
 * the name of a file there is changed as `basedrive export` changes it, but keeps its end. No path leads out of the
 * folder in which the zip is unpacked, no two are equal when case is ignored, and none is a folder of another: a number
 * is added, `a (2)`. The same names in the same order get the same paths.
 */
export function createPaths(folder: string): (name: string) => string {
  /** Folded paths of files, and of folders with a `/` at their end. */
  const taken = new Set<string>();
  /** The paths of folders by their names; both end in `/`. */
  const folders = new Map([['', '']]);
  /** The last number that was given for a path. */
  const numbers = new Map<string, number>();

  /** Gives the path a number if it is not free. */
  function firstFree(path: string, isFree: (candidate: string) => boolean): string {
    const key = folded(path);
    let free = path;
    for (let n = (numbers.get(key) ?? 1) + 1; !isFree(folded(free)); n++) {
      free = numbered(path, n);
      numbers.set(key, n);
    }
    return free;
  }

  function folderPath(name: string): string {
    const known = folders.get(name);
    if (known !== undefined) return known;
    const at = name.slice(0, -1).lastIndexOf('/') + 1;
    const usual = folderPath(name.slice(0, at)) + safePart(name.slice(at, -1));
    // Names that differ in case may share a folder, but a file and a folder no name.
    const path = `${firstFree(usual, (candidate) => !taken.has(candidate))}/`;
    taken.add(folded(path));
    folders.set(name, path);
    return path;
  }

  return (whole) => {
    const name = whole.slice(folder.length);
    const at = name.lastIndexOf('/') + 1;
    const usual = folderPath(name.slice(0, at)) + safePart(name.slice(at));
    const path = firstFree(usual, (candidate) => !taken.has(candidate) && !taken.has(`${candidate}/`));
    taken.add(folded(path));
    return path;
  };
}

/** A part of a name as every file system takes it. */
function safePart(part: string): string {
  if (isSafeSegment(part)) return part;
  const safe = safeBeginning(part, Number.POSITIVE_INFINITY) || '_';
  if (isSafeSegment(safe)) return safe;
  // It is too long: its beginning and its extension stay.
  const [extension = ''] = /\.[^.]{1,16}$/.exec(safe) ?? [];
  return safeBeginning(safe, maxSegmentBytes / 4 - extension.length) + extension;
}
