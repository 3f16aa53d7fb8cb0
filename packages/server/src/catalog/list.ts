import { nowSeconds } from '../lib/clock.js';
import { createSemaphore } from '../lib/concurrency/semaphore.js';
import { abandoned } from '../request-error.js';
import type { CatalogRows, Collection, View } from './collections.js';
import { type NameQuery, nameLists } from './names.js';

export interface NamePage {
  readonly names: readonly string[];
  /** Whether more names follow the last of these. */
  readonly more: boolean;
}

/** The number of bases or drives whose first rows a list reads at once: if the rows are remote, in one round trip. */
const headsAtOnce = 256;
/** The number of them whose rows it then scans at once, because the first item or file of each has expired. */
const scansAtOnce = 4;

async function holdsAny(
  { items, clock }: CatalogRows,
  space: string,
  { prefix, rangeOf, bytesOf }: Collection,
  { shown, isAbandoned }: View,
): Promise<boolean> {
  const range = rangeOf({ prefix: prefix + shown.prefix });
  for await (const batch of items.scanText(space, range)) {
    if (isAbandoned()) throw abandoned();
    const now = nowSeconds(clock);
    if (batch.some((row) => bytesOf(row, now) !== undefined)) return true;
  }
  return false;
}

/** Gives the names of a project's bases or drives that hold something that has not expired. */
export async function listCollection(
  rows: CatalogRows,
  collection: Collection,
  { project, ...query }: NameQuery & { readonly project: string },
  view: View,
): Promise<NamePage> {
  const root = collection.spaceOf(project, '');
  // One name more than the limit shows whether more follow.
  const wanted = query.limit + 1;
  const visible = collection.namesOf(view.shown);
  const names: string[] = [];
  const options = { visible, root, atOnce: Math.min(wanted, headsAtOnce) };
  for await (const found of nameLists(rows.items, query, options)) {
    const named = found.map((name) => ({ name, space: root + name }));
    names.push(...(await listed(rows, named, collection, view)));
    if (names.length >= wanted) break;
  }
  return { names: names.slice(0, query.limit), more: names.length >= wanted };
}

/** Gives those of the names that hold an item or a file that has not expired. */
async function listed(
  rows: CatalogRows,
  named: readonly { readonly name: string; readonly space: string }[],
  collection: Collection,
  view: View,
): Promise<readonly string[]> {
  if (view.isAbandoned()) throw abandoned();
  const { prefix, rangeOf } = collection;
  const range = rangeOf({ prefix: prefix + view.shown.prefix });
  const spaces = named.map(({ space }) => space);
  const heads = await rows.items.firstRows(spaces, range);
  const now = nowSeconds(rows.clock);
  const scanning = createSemaphore(() => scansAtOnce);
  const isListed = await Promise.all(
    heads.map((head, index) => {
      if (head === undefined) return false;
      // Items and files are due when they expire.
      const isLive = head.dueSeconds === undefined || head.dueSeconds > now;
      return isLive || scanning(() => holdsAny(rows, spaces[index] as string, collection, view));
    }),
  );
  const others = named.filter((_, index) => !isListed[index]);
  const also = others.length === 0 ? undefined : await existing(rows, others, collection, view);
  return named.flatMap((one, index) => (isListed[index] || also?.has(one) ? [one.name] : []));
}

/** Those of the spaces that exist though they hold nothing that is counted. */
async function existing<One extends { readonly space: string }>(
  { items }: CatalogRows,
  others: readonly One[],
  { alsoIf = () => [] }: Collection,
  { shown }: View,
): Promise<ReadonlySet<One>> {
  const spaces = others.map(({ space }) => space);
  const found = new Set<One>();
  for (const range of alsoIf(shown.prefix)) {
    for (const [index, head] of (await items.firstRows(spaces, range)).entries()) {
      if (head !== undefined) found.add(others[index] as One);
    }
  }
  return found;
}
