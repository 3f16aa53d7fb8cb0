import { addressOfUrl } from '../archive/api/address.js';
import { importProject } from '../archive/import/import-project.js';
import { openSource } from '../archive/import/open-source.js';
import { selectionOf } from '../archive/selection.js';
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

const everything = selectionOf(undefined, undefined);
const maxRatio = 200;

/**
 * Stores what a folder or a zip archive has, as `basedrive import` does (docs/testing.md#seeds). Throws `OperatorError` with
 * the file and what is wrong with it; the rest is stored.
 */
export async function seed(from: string, { url, project, key }: SeedTarget): Promise<Seeded> {
  const source = await openSource(from, { selection: everything, maxRatio });
  try {
    const report = await importProject({
      address: addressOfUrl(new URL(url), project, key),
      source,
      selection: everything,
      onlyNew: false,
      acceptChanges: true,
      listen() {},
    });
    const [first] = report.setAside;
    if (first !== undefined) {
      const line = first.line === undefined ? '' : ` line ${first.line}`;
      throw new OperatorError(`${from}: ${first.path}${line}: ${first.problem}`);
    }
    return { items: report.items, files: report.files + report.filesKept };
  } finally {
    await source.close();
  }
}
