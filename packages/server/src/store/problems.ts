/** Something in a store that is not as it was written, or that cannot be copied. */
export interface Problem {
  /** The space of the row, `base/{project}/{base}` or `drive/{project}/{drive}`; `blobs` for a blob without a row. */
  readonly where: string;
  /** The key of the row, or the id of the blob; empty for all of them. */
  readonly key: string;
  readonly problem: string;
}

/** The problems in a report. */
export interface Problems {
  /** The first thousand. */
  readonly problems: Problem[];
  problemCount: number;
}

export function noProblems(): Problems {
  return { problems: [], problemCount: 0 };
}

/** The maximum number of entries of a list in a report. */
export const maxListed = 1000;

/** `where`, `key`: as in `Problem`. */
export function addProblem(report: Problems, where: string, key: string, problem: string): void {
  report.problemCount++;
  if (report.problems.length < maxListed) report.problems.push({ where, key, problem });
}
