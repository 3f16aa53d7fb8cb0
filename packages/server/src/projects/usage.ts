import { allNames } from '../access/name-set.js';
import type { CatalogService, NamedSize } from '../catalog/service.js';
import { countedFiles, trashCounter } from '../drive/counted-files.js';
import type { Counted } from '../engines/first-count.js';
import type { ItemStore } from '../engines/item-store.js';
import { inGroups } from '../lib/groups.js';
import type { Stored } from '../quotas/ledger.js';
import { baseSpaces, driveSpaces } from '../spaces.js';
import { parts, sumOfKind, sumOfRows } from './stored-sums.js';

/** What a project has stored (docs/http.md#get-usage). */
export interface Usage extends Stored {
  readonly trashBytes: number;
  readonly uploadBytes: number;
  /** False: a base that nobody keeps counted was counted earlier, or is not counted yet. */
  readonly exact: boolean;
}

export interface UsageDependencies {
  readonly items: ItemStore;
  readonly catalog: CatalogService;
}

/** The number of bases or drives that are counted at once, with a second for those without a counter. */
const namesAtOnce = 100;
const countedTrash = countedFiles.find(({ prefix }) => prefix === trashCounter) as Counted;
const shown = { bases: allNames, drives: allNames, prefix: '' };

/** Ends with an error when the caller no longer waits. */
export async function usageOf(
  { items, catalog }: UsageDependencies,
  project: string,
  isAbandoned = () => false,
): Promise<Usage> {
  const view = { shown, isAbandoned };
  const bases = await sizesOf(items, `${baseSpaces}${project}/`, (names) =>
    catalog.sizes('bases', project, names, view),
  );
  const drives = await sizesOf(items, `${driveSpaces}${project}/`, (names) =>
    catalog.sizes('drives', project, names, view),
  );
  let trashBytes = 0;
  let uploadBytes = 0;
  for await (const space of items.spaces(`${driveSpaces}${project}/`)) {
    trashBytes += (await sumOfKind(items, space, countedTrash)).bytes;
    uploadBytes += (await sumOfRows(items, space, parts)).bytes;
  }
  return {
    items: bases.rows,
    itemBytes: bases.bytes,
    files: drives.rows,
    fileBytes: drives.bytes + trashBytes + uploadBytes,
    trashBytes,
    uploadBytes,
    exact: bases.exact && drives.exact,
  };
}

async function sizesOf(
  items: ItemStore,
  prefix: string,
  sizes: (names: readonly string[]) => Promise<readonly NamedSize[]>,
) {
  const sum = { rows: 0, bytes: 0, exact: true };
  for await (const spaces of inGroups(items.spaces(prefix), namesAtOnce)) {
    for (const { rows, bytes, exact } of await sizes(spaces.map((space) => space.slice(prefix.length)))) {
      sum.rows += rows ?? 0;
      sum.bytes += bytes ?? 0;
      sum.exact &&= exact;
    }
  }
  return sum;
}
