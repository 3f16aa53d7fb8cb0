import type { RemoteFile } from '../api/project.js';
import type { Digest } from '../digest.js';
import type { Entry, ManifestLists } from '../layout/manifest.js';

/** A file that an export writes. */
export interface Download {
  readonly file: RemoteFile;
  /** The bytes from an offset on. Reading them throws `FileChanged`. */
  readonly read: (from: number) => AsyncIterable<Buffer>;
}

/** A file in the target: its digest, and whether an earlier run wrote it. */
export interface WrittenFile extends Digest {
  readonly isReused: boolean;
}

/** Where an export goes: a folder or an archive. */
export interface ExportTarget {
  /** How many files may be written at once. */
  readonly filesAtOnce: number;
  writeBase(path: string, chunks: AsyncIterable<Buffer>): Promise<Digest>;
  /**
   * Throws `FileChanged`, or what `isDamage`, and leaves nothing at the path. Where it cannot take back what it has
   * written, the beginning of a damaged file stays, and the message says so.
   */
  writeFile(path: string, download: Download): Promise<WrittenFile>;
  /** Adds an entry to `basedrive.json`, after those that were added before. */
  addEntry(entry: Entry): Promise<void>;
  /** Writes `basedrive.json`, with these lists: the export is complete. */
  finish(lists: ManifestLists): Promise<void>;
  /** Ends an export that did not succeed. */
  abandon(): Promise<void>;
}
