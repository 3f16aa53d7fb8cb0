/** Something that is not as it was written, or bytes that nobody owns. */
export interface Problem {
  /** The space of the row, `base/{project}/{base}` or `drive/{project}/{drive}`; `blobs` for a blob without a row, `rows` for a file of the item store. */
  readonly where: string;
  /** The key of the row, the id of the blob, or the name of the file and the place in it. */
  readonly key: string;
  readonly problem: string;
}

export interface CheckReport {
  items: number;
  files: number;
  /** Open uploads, and parts of them. */
  uploads: number;
  parts: number;
  /** Bytes of files and parts that were read and compared with their checksums. */
  bytes: number;
  /** Uploads that nobody called in time: the server drops them by itself. */
  uploadsOutOfDate: number;
  /** The first thousand. */
  readonly problems: Problem[];
  problemCount: number;
  /** Blobs without an owner that `--repair` has moved, and where they lie now. */
  quarantine: number;
  quarantineFolder: string | undefined;
}

const maxListed = 1000;

export function emptyReport(): CheckReport {
  return {
    items: 0,
    files: 0,
    uploads: 0,
    parts: 0,
    bytes: 0,
    uploadsOutOfDate: 0,
    problems: [],
    problemCount: 0,
    quarantine: 0,
    quarantineFolder: undefined,
  };
}

export function addProblem(report: CheckReport, problem: Problem): void {
  report.problemCount++;
  if (report.problems.length < maxListed) report.problems.push(problem);
}
