import { headerKey, type ItemStore, type Snapshot } from '../../../engines/item-store.js';
import { type Clock, nowSeconds } from '../../../lib/clock.js';
import { scheduled } from '../../../lib/concurrency/scheduled.js';
import { type Declaration, readDeclarations } from '../declarations/declarations.js';
import { entryPrefix } from '../entries/entries.js';
import { decodeValue } from '../entries/value-encoding.js';
import { parseEntry } from './entry-reading.js';
import { expiredItems } from './expired-items.js';
import type { IndexUses } from './index-uses.js';
import { type IndexQuery, isBounded } from './indexed-reading.js';
import { planQuery, type QueryPlan } from './plan.js';

/** The JSON of the values of an item at some paths; undefined where it has none. */
export type CoveredTexts = readonly (string | undefined)[];

/** The values of all matches, from the entries of an index alone. */
export interface CoveredSource {
  readonly index: string;
  readonly texts: AsyncIterable<readonly CoveredTexts[]>;
}

/** Reads entries instead of items. */
export interface CoveredReading {
  /**
   * Calls `read` if an index decides which items match and has the values at all of the paths. All that it reads is
   * from one moment. Resolves to undefined if there is no such index, or if its entries do not say all values: they
   * have no lists, no objects and only the beginnings of long strings.
   */
  use<T>(
    space: string,
    query: IndexQuery,
    paths: readonly string[],
    read: (source: CoveredSource) => Promise<T>,
  ): Promise<T | undefined>;
}

/** The entries do not say what a value is. */
class NotCovered extends Error {
  override readonly name = 'NotCovered';
}

const keyPath = 'key';

export function createCoveredReading(items: ItemStore, clock: Clock, uses: IndexUses): CoveredReading {
  return {
    async use(space, query, paths, read) {
      if (isBounded(query.range) || (await items.get(space, headerKey)) === undefined) return undefined;
      const snapshot = await items.snapshot(space, { isLong: true });
      try {
        const [header] = await snapshot.texts([headerKey]);
        const indexes = readDeclarations(header).indexes.filter((index) => covers(index, paths));
        const plan = planQuery(query, indexes).find(
          ({ isDecided, doubtful }) => isDecided && doubtful.length === 0,
        );
        const [first] = plan?.regions ?? [];
        if (plan === undefined || first === undefined) return undefined;
        const ended = await expiredItems(snapshot, nowSeconds(clock), query);
        if (ended === undefined) return undefined;
        const expired = new Set<string>();
        for await (const { key } of ended) expired.add(key);
        const batches = scheduled(keysOf(snapshot, plan), query.turn);
        const found = await read({
          index: first.index.name,
          texts: textsOf(batches, first.index, { paths, expired, query }),
        });
        // Without it, all items would be read.
        uses.note(space, plan, { conditions: 1, order: undefined });
        return found;
      } catch (cause) {
        if (cause instanceof NotCovered) return undefined;
        throw cause;
      } finally {
        await snapshot.close();
      }
    },
  };
}

/** Whether each item has one entry, with its values at the paths. */
function covers({ fields, each }: Declaration, paths: readonly string[]): boolean {
  return !each && paths.every((path) => path === keyPath || fields.includes(path));
}

/** The entries of a plan. The regions of one that is decided are of one index, and no entry is in two of them. */
async function* keysOf(snapshot: Snapshot, { regions }: QueryPlan): AsyncGenerator<readonly string[]> {
  for (const { region } of regions) yield* snapshot.keys(region);
}

interface TextsOptions {
  readonly paths: readonly string[];
  readonly expired: ReadonlySet<string>;
  readonly query: IndexQuery;
}

async function* textsOf(
  batches: AsyncIterable<readonly string[]>,
  index: Declaration,
  { paths, expired, query }: TextsOptions,
): AsyncGenerator<readonly CoveredTexts[], void, undefined> {
  const start = entryPrefix(index.id).length;
  const columns = paths.map((path) => index.fields.indexOf(path));
  for await (const entries of batches) {
    query.check();
    const found: CoveredTexts[] = [];
    for (const entry of entries) {
      const { values, key } = parseEntry(entry, start, index.fields.length);
      if (expired.size > 0 && expired.has(key)) continue;
      found.push(
        columns.map((column) => (column < 0 ? JSON.stringify(key) : textOf(values[column] as string))),
      );
    }
    yield found;
  }
}

function textOf(encoded: string): string | undefined {
  const text = decodeValue(encoded);
  if (text === undefined) throw new NotCovered();
  return text === '' ? undefined : text;
}
