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

/** For a human. Control characters of keys are escaped: a terminal is not to obey them. */
export function reportText(report: CheckReport): string {
  const { items, files, uploads, parts, bytes, problems, problemCount } = report;
  const lines = [
    `Read ${items} items, ${files} files and ${parts} parts of ${uploads} open uploads; ${bytes} bytes compared with their checksums`,
  ];
  if (report.uploadsOutOfDate > 0) {
    lines.push(`${report.uploadsOutOfDate} uploads are out of date: the server drops them by itself`);
  }
  if (report.quarantine > 0) {
    lines.push(
      `${report.quarantine} blobs without an owner were set aside: they lie in ${report.quarantineFolder}`,
    );
  }
  lines.push(problemCount === 0 ? 'Nothing is wrong' : `Problems: ${problemCount}`);
  for (const { where, key, problem } of problems) lines.push(`${quoted(where)} ${quoted(key)}: ${problem}`);
  if (problemCount > problems.length) lines.push(`… and ${problemCount - problems.length} more`);
  return lines.join('\n');
}

function quoted(text: string): string {
  return JSON.stringify(text).replace(/[\u007f-\u009f]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`);
}
