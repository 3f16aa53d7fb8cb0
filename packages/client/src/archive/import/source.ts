import { BasedriveError } from '../../http/error.js';
import type { SetAside } from './report.js';

/** A file that is imported. */
export interface SourceFile {
  /** Relative to the folder that holds `bases` and `drives`, with `/` between segments. */
  readonly path: string;
  readonly size: number;
  /** Whether reading the whole file compares its bytes with a checksum. */
  readonly isChecked: boolean;
  /** The base whose items it holds, if the path does not say it. */
  readonly base?: string;
  /** Reads the file; it can be read several times. Throws `BrokenFile`. */
  open(): AsyncIterable<Buffer>;
}

/** Where an import comes from: a folder, an archive, or a single file. */
export interface ImportSource {
  /** All files. It can be called several times. */
  files(): AsyncIterable<SourceFile>;
  /** The file at this path, if there is one. */
  find(path: string): Promise<SourceFile | undefined>;
  /** Files that are left out because reading them is not safe. */
  readonly setAside: readonly SetAside[];
  close(): Promise<void>;
}

/** A file that cannot be read as it should be: its bytes are damaged, or it is not there any more. */
export class BrokenFile extends Error {
  override readonly name = 'BrokenFile';
}

/** The shortest root is the right one: a base may be called `basedrive`, and a drive `bases` or `drives`. */
const layoutPath = /^([^/]*\/)??(?:bases\/[^/]+\.(?:json|ndjson|jsonl)|drives\/[^/]+\/.+|basedrive\.json)$/s;

/**
 * The folder within a source that holds `bases` and `drives`, with a `/` at its end, or empty: an archive often has one
 * folder around everything. Undefined if the path does not show it.
 */
export function rootIn(path: string): string | undefined {
  const found = layoutPath.exec(path);
  return found === null ? undefined : (found[1] ?? '');
}

/** The maximum number of folders that an error names. */
const maxNamed = 5;

/**
 * Chooses the root that is imported: the source itself, or else the only folder. Throws code `bad_archive` if there is
 * none, and if there are several folders: nobody knows which one is meant.
 */
export function onlyRoot(roots: ReadonlySet<string>, source: string): string {
  const [only, ...others] = roots.has('') ? [''] : [...roots].sort();
  if (only !== undefined && others.length === 0) return only;
  const problem =
    only === undefined
      ? `There is nothing to import in ${source}: it has neither bases nor drives`
      : `There are several exports in ${source}: ${[only, ...others].slice(0, maxNamed).join(', ')}`;
  throw new BasedriveError('bad_archive', problem);
}
