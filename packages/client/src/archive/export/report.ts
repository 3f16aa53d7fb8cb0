/** What an export did, and what it left out. */
export interface ExportReport {
  readonly project: string;
  bases: number;
  items: number;
  drives: number;
  files: number;
  /** Of the items and the files. */
  bytes: number;
  /** Files that an earlier, interrupted run had written already. */
  reused: number;
  /**
   * Bases and drives that were asked for by name and do not exist, and what is damaged in the store: files and parts of
   * bases. The first thousand.
   */
  readonly leftOut: readonly LeftOut[];
  leftOutCount: number;
  /**
   * What a limited key may read (docs/http.md#limited-keys): there may be more in the project, which is not in the
   * export. Absent for a key that may read everything.
   */
  limitedTo?: KeyLimits;
  seconds: number;
}

/** A base, a drive or a file that is not in the export, or not as a whole, and why. `name` is that of a file. */
export type LeftOut = { readonly problem: string } & (
  | { readonly base: string }
  | { readonly drive: string; readonly name?: string | undefined }
);

/** Names that end in `*` stand for all that begin with the text before it. */
export interface KeyLimits {
  readonly bases?: readonly string[];
  readonly drives?: readonly string[];
  /** What the keys of items and the names of files begin with. */
  readonly prefix?: string;
}
