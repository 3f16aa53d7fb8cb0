import { createHash } from 'node:crypto';
import { folded, isSafeSegment, safeBeginning } from '../../safe-segment.js';
import { createHashSet } from './hash-set.js';

/** macOS takes paths of at most 1024 bytes, and the folder of the export needs some of them. */
const maxPathBytes = 700;
const shortHash = 10;
const longHash = 32;

/** Gives the paths of an export, relative to its folder, with `/` between segments. */
export type PathMaker = ReturnType<typeof createPathMaker>;

/**
 * A name becomes its own path where every common file system takes it (docs/moving-in.md#names-that-are-no-paths).
 * Otherwise the segments that cannot be kept get a name made of their beginning, a `~` and a hash. No two paths are
 * equal when case is ignored, and none is a folder of another. The same names in the same order get the same paths.
 * `basedrive.json` says which name a path stands for.
 */
export function createPathMaker() {
  /** Folded paths of files, and of folders with a `/` at their end. */
  const taken = createHashSet();
  const drives = new Map<string, string>();

  function take(path: string): boolean {
    const key = folded(path);
    if (taken.has(key) || taken.has(`${key}/`)) return false;
    for (const folder of foldersOf(key)) if (taken.has(folder)) return false;
    for (const folder of foldersOf(key)) taken.add(`${folder}/`);
    taken.add(key);
    return true;
  }

  /** The first of the candidates that is free. The last ones differ by a number. */
  function firstFree(candidates: Iterable<string>): string {
    for (const candidate of candidates) if (take(candidate)) return candidate;
    throw new Error('The candidates never end');
  }

  function folderOf(drive: string): string {
    const known = drives.get(drive);
    if (known !== undefined) return known;
    const usual = isSafeSegment(drive) ? [drive] : [];
    const isFree = (segment: string) => !taken.has(`drive ${folded(segment)}`);
    const segment = [...usual, hashed(drive, shortHash, ''), hashed(drive, longHash, '')].find(isFree) ?? '';
    taken.add(`drive ${folded(segment)}`);
    const folder = `drives/${segment}`;
    drives.set(drive, folder);
    return folder;
  }

  return {
    /** `bases/{name}.json`, or a path in which the name is replaced. */
    base(name: string) {
      return firstFree(
        (function* () {
          if (isSafeSegment(`${name}.json`)) yield `bases/${name}.json`;
          for (let n = 0; ; n++) yield `bases/${hashed(name, shortHash, n === 0 ? '' : `-${n}`)}.json`;
        })(),
      );
    },

    /** `drives/{drive}/{name}`, or a path in which some segments are replaced. */
    file(drive: string, name: string) {
      const folder = folderOf(drive);
      const segments = name.split('/');
      return firstFree(
        (function* () {
          const kept = segments.map((segment, at) =>
            isSafeSegment(segment) ? segment : hashed(segments.slice(0, at + 1).join('/'), shortHash, ''),
          );
          const usual = [folder, ...kept].join('/');
          if (Buffer.byteLength(usual) <= maxPathBytes) yield usual;
          // The path is a folder of another one, or differs from it in case only: all of it is replaced.
          for (let n = 0; ; n++) yield `${folder}/${hashed(name, longHash, n === 0 ? '' : `-${n}`)}`;
        })(),
      );
    },
  };
}

/** `drives/a/b/c` is in `drives`, `drives/a` and `drives/a/b`. */
function foldersOf(path: string): string[] {
  const folders: string[] = [];
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) folders.push(path.slice(0, at));
  return folders;
}

/** The last segment of a text in a form that every file system takes, made unlike others by a hash of all of it. */
function hashed(text: string, digits: number, suffix: string): string {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, digits);
  return `${safeBeginning(text.slice(text.lastIndexOf('/') + 1))}~${hash}${suffix}`;
}
