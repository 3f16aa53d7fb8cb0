import type { Snapshot } from '../../engines/item-store.js';
import { runInSlices } from '../../lib/concurrency/time-slices.js';
import { pageBytes } from '../limits.js';
import { FirstCandidates } from '../query/first-candidates.js';
import { type Position, rank, type SortOrder } from '../query/sort-order.js';
import {
  cutGroupOf,
  keysIn,
  type ParsedEntry,
  type ReadRows,
  type Rows,
  sortEntries,
} from './entry-reading.js';
import { intersection, type Region, type WalkPlan } from './plan.js';
import { afterValue, encodeValue, endOfValue, isCut } from './value-encoding.js';

export interface WalkOptions {
  readonly snapshot: Snapshot;
  readonly plan: WalkPlan;
  readonly region: Region;
  readonly order: SortOrder;
  /** Where to begin. Some of what comes before it may be given, too. */
  readonly after: Position | undefined;
  /** How many items the caller probably needs. */
  readonly wanted: number;
  readonly readRows: ReadRows;
}

/** The maximum number of entries that are sorted in memory. A larger group is read on its own. */
const sortedEntries = 256;
/** How many times as many entries are read the next time. */
const growth = 4;
const missing = String(rank.missing);

/**
 * Reads the items of the entries of a region in the order of a query, in batches, on demand.
 *
 * Entries are stored upwards by all of their values, then by key. If all columns of the order and the key go upwards,
 * the entries are read as they are. Otherwise those with the same value of the first column are a group: the groups are
 * read in the direction of their column, missing values last, and each group is ordered by the other columns and the
 * key. Small groups are sorted in memory.
 *
 * The order of long strings that begin in the same way is not in the index. Their items are sorted, as many at a time
 * as a page holds.
 */
export function walk({ snapshot, plan, region, order, after, wanted, readRows }: WalkOptions): Rows {
  const { columns } = plan;
  // One entry more: only the next one shows that a group is whole.
  const firstBatch = Math.min(wanted + 1, sortedEntries);
  const directions = [...columns.map(({ direction }) => direction), plan.keyDirection];

  /** Reads what is `within`, where all entries begin with `prefix`: with their values before the column `depth`. */
  async function* read(depth: number, prefix: string, within: Region, start: ParsedEntry | undefined): Rows {
    if (depth === columns.length) return yield* byKey(prefix, within, start);
    if (directions.slice(depth).every((direction) => direction > 0)) {
      return yield* upwards(depth, prefix, within, start);
    }
    const last = prefix + missing;
    const beginsInLast = start?.values[depth] === missing;
    if (!beginsInLast) yield* groups(depth, prefix, intersection(within, { gte: prefix, lt: last }), start);
    yield* read(depth + 1, last, intersection(within, regionOf(last)), beginsInLast ? start : undefined);
  }

  /** All entries have the same values. */
  async function* byKey(prefix: string, within: Region, start: ParsedEntry | undefined): Rows {
    const isDown = plan.keyDirection < 0;
    const bound = start === undefined ? {} : { [isDown ? 'lt' : 'gt']: prefix + start.key };
    const range = start !== undefined && isDown ? { gte: within.gte, ...bound } : { ...within, ...bound };
    for await (const entries of snapshot.keys({ ...range, reverse: isDown, firstBatch }))
      yield* readRows(entries);
  }

  async function* upwards(
    depth: number,
    prefix: string,
    within: Region,
    start: ParsedEntry | undefined,
  ): Rows {
    let { gte, lt } =
      start === undefined ? within : intersection(within, { gte: firstOf(start), lt: within.lt });
    for (let cut: string | undefined; ; gte = afterValue(cut)) {
      cut = undefined;
      for await (const entries of snapshot.keys({ gte, lt, firstBatch })) {
        const known: string[] = [];
        for (const entry of entries) {
          cut = cutGroupOf(entry, prefix.length, columns.length - depth);
          if (cut !== undefined) break;
          known.push(entry);
        }
        yield* readRows(known);
        if (cut !== undefined) break;
      }
      if (cut === undefined) return;
      yield* cutGroup(intersection(within, regionOf(cut)));
    }

    function firstOf({ values, key }: ParsedEntry): string {
      let text = prefix;
      for (const value of values.slice(depth)) {
        text += value;
        if (isCut(value)) return text;
      }
      return text + key;
    }
  }

  async function* groups(
    depth: number,
    prefix: string,
    within: Region,
    start: ParsedEntry | undefined,
  ): Rows {
    const isDown = (directions[depth] as number) < 0;
    const first = start === undefined ? undefined : prefix + (start.values[depth] as string);
    let rest = within;
    if (first !== undefined) {
      rest = intersection(
        rest,
        isDown ? { gte: prefix, lt: afterValue(first) } : { gte: first, lt: within.lt },
      );
    }
    for (let limit = firstBatch; ; limit = Math.min(growth * limit, sortedEntries)) {
      const entries = await keysIn(snapshot, { ...rest, reverse: isDown, limit });
      const found = groupsOf(entries, prefix.length);
      // The last group may have more entries than were read.
      const open = entries.length < limit ? undefined : found.pop();
      yield* sorted(depth, prefix, found);
      if (open === undefined) return;
      let last = found.at(-1)?.name;
      // A group of one entry so far is probably small, and is read again with those after it.
      if (last === undefined || open.entries.length > 1) {
        last = open.name;
        const region = intersection(within, regionOf(last));
        if (isCut(last)) yield* cutGroup(region);
        else yield* read(depth + 1, last, region, last === first ? start : undefined);
      }
      rest = isDown ? { gte: rest.gte, lt: last } : { gte: afterValue(last), lt: rest.lt };
    }
  }

  /** Reads groups that are known as a whole. */
  async function* sorted(depth: number, prefix: string, found: readonly Group[]): Rows {
    let ready: string[] = [];
    for (const { name, entries } of found) {
      const isCutGroup = entries.some(
        (entry) => cutGroupOf(entry, prefix.length, columns.length - depth) !== undefined,
      );
      if (isCutGroup) {
        yield* readRows(ready);
        ready = [];
        yield* cutGroup(regionOf(name));
      } else {
        ready.push(...sortEntries(entries, name.length, directions.slice(depth + 1), missing));
      }
    }
    yield* readRows(ready);
  }

  /** Reads the whole group again for each page of it. */
  async function* cutGroup(within: Region): Rows {
    for (let behind = after; ; ) {
      const first = new FirstCandidates(order, { limit: Number.POSITIVE_INFINITY, maxBytes: pageBytes });
      for await (const entries of snapshot.keys(within)) {
        for await (const rows of readRows(entries)) {
          for (const { key, text } of rows) {
            const position = { key, values: order.valuesOf(text) };
            if (behind === undefined || order.compare(position, behind) > 0) first.offer(position, text);
          }
        }
      }
      const { hasMore } = first;
      const candidates = await runInSlices(first.inOrder());
      yield candidates;
      if (!hasMore) return;
      behind = candidates.at(-1);
    }
  }

  return read(0, plan.prefix, region, after === undefined ? undefined : startOf(plan, after));
}

/** The entry of a position; undefined if the entry is not in the region, which then is read from its beginning. */
function startOf(
  { columns, constants, characters }: WalkPlan,
  { values, key }: Position,
): ParsedEntry | undefined {
  const encoded = values.map((value) => encodeValue(value, characters).text);
  const isWithin = constants.every(({ column, encoded: constant }) => encoded[column] === constant);
  return isWithin ? { values: columns.map(({ column }) => encoded[column] as string), key } : undefined;
}

/** Entries that have the same value, one after the other. */
interface Group {
  /** What they begin with, including this value. */
  readonly name: string;
  readonly entries: string[];
}

/** Groups entries by the value that begins at `start`. */
function groupsOf(entries: readonly string[], start: number): Group[] {
  const groups: Group[] = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    if (last !== undefined && entry.startsWith(last.name)) last.entries.push(entry);
    else groups.push({ name: entry.slice(0, endOfValue(entry, start)), entries: [entry] });
  }
  return groups;
}

/** The entries that begin with these values. */
function regionOf(values: string): Region {
  return { gte: values, lt: afterValue(values) };
}
