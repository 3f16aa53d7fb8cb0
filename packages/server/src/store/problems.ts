/** Something in a store that is not as it was written, or that cannot be copied. */
export interface Problem {
  /** The space of the row, `base/{project}/{base}` or `drive/{project}/{drive}`; `blobs` for a blob without a row. */
  readonly where: string;
  /** The key of the row, or the id of the blob; empty for all of them. */
  readonly key: string;
  readonly problem: string;
}

/** What a report holds of the problems that were found. */
export interface Problems {
  /** The first thousand. */
  readonly problems: Problem[];
  problemCount: number;
}

/** A list in a report has at most so many entries. */
export const maxListed = 1000;

export function addProblem(report: Problems, problem: Problem): void {
  report.problemCount++;
  if (report.problems.length < maxListed) report.problems.push(problem);
}
