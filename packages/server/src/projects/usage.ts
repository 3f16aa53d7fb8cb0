import { allNames } from '../access/name-set.js';
import type { CatalogService, NamedSize } from '../catalog/service.js';
import { anyPart, anyTrash } from '../drive/contents/row-contents.js';
import { trashCounter } from '../drive/counted-files.js';
import { readCounter } from '../engines/counter.js';
import type { ItemStore } from '../engines/item-store.js';
import type { Stored } from '../quotas/ledger.js';
import { baseSpaces, driveSpaces } from '../spaces.js';

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
    trashBytes += await bytesInTrash(items, space);
    uploadBytes += await bytesOf(items, space, anyPart);
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
  let names: string[] = [];
  const add = async () => {
    for (const { rows, bytes, exact } of await sizes(names)) {
      sum.rows += rows ?? 0;
      sum.bytes += bytes ?? 0;
      sum.exact &&= exact;
    }
    names = [];
  };
  for await (const space of items.spaces(prefix)) {
    names.push(space.slice(prefix.length));
    if (names.length === namesAtOnce) await add();
  }
  if (names.length > 0) await add();
  return sum;
}

async function bytesInTrash(items: ItemStore, space: string): Promise<number> {
  const snapshot = await items.snapshot(space);
  try {
    const counter = await readCounter(snapshot, trashCounter);
    if (counter?.isWhole) return counter.sum.bytes;
  } finally {
    await snapshot.close();
  }
  return await bytesOf(items, space, anyTrash);
}

/** The bytes of the contents that rows of a kind name. */
async function bytesOf(items: ItemStore, space: string, prefix: string): Promise<number> {
  let bytes = 0;
  for await (const rows of items.scanText(space, { prefix, isLong: true }))
    for (const { text } of rows) bytes += (JSON.parse(text) as { readonly sizeBytes: number }).sizeBytes;
  return bytes;
}
