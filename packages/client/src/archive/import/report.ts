/** Something that is not imported, and why. `line` is counted from 1. */
export interface SetAside {
  readonly path: string;
  readonly line?: number;
  readonly problem: string;
}

/** What an import did. */
export interface ImportReport {
  readonly project: string;
  /** Items that were stored. */
  items: number;
  /** Items that stayed as they were, because only new ones were asked for. */
  itemsKept: number;
  /** Files that were stored. */
  files: number;
  /** Files that were there already, or stayed as they were because only new ones were asked for. */
  filesKept: number;
  /** Files that had expired: they are not stored. */
  filesExpired: number;
  /** The bytes of the items and the files that were read. */
  bytes: number;
  /** Files that belong to neither a base nor a drive. */
  ignored: number;
  /**
   * Whether names and content types were taken from the paths, because there is no `basedrive.json`: then there are no
   * metadata, no expiry times and no indexes either. So it is with what the old service wrote.
   */
  fromPaths: boolean;
  /** The first thousand of what was not imported. */
  readonly setAside: SetAside[];
  setAsideCount: number;
  seconds: number;
}

const maxListed = 1000;

/** The report of an import that has done nothing yet. */
export function newReport(project: string): ImportReport {
  return {
    project,
    items: 0,
    itemsKept: 0,
    files: 0,
    filesKept: 0,
    filesExpired: 0,
    bytes: 0,
    ignored: 0,
    fromPaths: false,
    setAside: [],
    setAsideCount: 0,
    seconds: 0,
  };
}

/** Counts something that is not imported; the report lists it if it is among the first thousand. */
export function putAside(report: ImportReport, entry: SetAside): void {
  report.setAsideCount++;
  if (report.setAside.length < maxListed) report.setAside.push(entry);
}
