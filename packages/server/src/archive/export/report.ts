/** What an export did. */
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
  /** Bases and drives that were asked for by name and hold nothing. */
  readonly empty: string[];
  seconds: number;
}
