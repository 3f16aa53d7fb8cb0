import { BasedriveError } from '#client';
import { importProject } from '#client/node';
import { OperatorError } from '../operator-error.js';

/** What a seed has stored. */
export interface Seeded {
  readonly items: number;
  readonly files: number;
}

/** The project that is seeded, and how to reach it. */
export interface SeedTarget {
  readonly url: string;
  readonly project: string;
  readonly key: string;
}

/**
 * Stores what a folder or a zip archive has, as `basedrive import` does (docs/testing.md#seeds). Throws `OperatorError` with
 * the file and what is wrong with it; the rest is stored.
 */
export async function seed(from: string, { url, key }: SeedTarget): Promise<Seeded> {
  const report = await importProject(from, { url, key, acceptChanges: true }).catch((cause: unknown) => {
    if (!(cause instanceof BasedriveError)) throw cause;
    throw new OperatorError(cause.message, { cause });
  });
  const [first] = report.setAside;
  if (first !== undefined) {
    const line = first.line === undefined ? '' : ` line ${first.line}`;
    throw new OperatorError(`${from}: ${first.path}${line}: ${first.problem}`);
  }
  return { items: report.items, files: report.files + report.filesKept };
}
