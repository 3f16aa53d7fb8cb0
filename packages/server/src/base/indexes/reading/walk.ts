import type { Position } from '../../query/sort-order.js';
import { rank } from '../../query/sort-order.js';
import { afterValue, encodeValue, endOfValue, isCut } from '../entries/value-encoding.js';
import { cutGroupOf, type ParsedEntry, sortEntries } from './entry-reading.js';
import { intersection, type Region, type WalkPlan } from './plan.js';

export interface WalkOptions {
  readonly plan: WalkPlan;
  readonly region: Region;
  /** Where to begin. Some of what comes before it may be given, too. */
  readonly after: Position | undefined;
  /** How many items the caller probably needs. */
  readonly wanted: number;
}

/** The first entries of a region, or the last ones. */
export interface EntryRange extends Region {
  readonly reverse: boolean;
  readonly limit: number;
}

/** What comes next in the order: entries, or all of a region, whose strings are cut, so that its items must be sorted. */
export type Found = { readonly entries: readonly string[] } | { readonly cut: Region };

/** A walk asks for entries and gives what it has found. So it takes no promise where entries are in memory. */
export type Walk = Generator<Found | { readonly toRead: EntryRange }, void, readonly string[]>;

/** The maximum number of entries that are sorted in memory. A larger group is read on its own. */
const sortedEntries = 256;
/** How many times as many entries are read the next time. */
const growth = 4;
const missing = String(rank.missing);

/**
 * Goes through the entries of a region in the order of a query, in batches, on demand.
 *
 * Entries are stored upwards by all of their values, then by key. If all columns of the order and the key go upwards,
 * the entries are read as they are. Otherwise those with the same value of the first column are a group: the groups are
 * read in the direction of their column, missing values last, and each group is ordered by the other columns and the
 * key. Small groups are sorted in memory.
 *
 * The order of long strings that begin in the same way is not in the index.
 */
export function walk({ plan, region, after, wanted }: WalkOptions): Walk {
  const directions = [...plan.columns.map(({ direction }) => direction), plan.keyDirection];
  // One entry more: only the next one shows that a group is whole.
  const walking = { plan, directions, firstBatch: Math.min(wanted + 1, sortedEntries) };
  const start = after === undefined ? undefined : startOf(plan, after);
  return read(walking, { depth: 0, prefix: plan.prefix, within: region }, start);
}

interface Walking {
  readonly plan: WalkPlan;
  /** Those of the columns, and that of the key. */
  readonly directions: readonly number[];
  /** How many entries are read at first. */
  readonly firstBatch: number;
}

/** What is `within` a region, where all entries begin with `prefix`: with their values before the column `depth`. */
interface Stretch {
  readonly depth: number;
  readonly prefix: string;
  readonly within: Region;
}

function more(limit: number): number {
  return Math.min(growth * limit, sortedEntries);
}

function* read(walking: Walking, stretch: Stretch, start: ParsedEntry | undefined): Walk {
  const { depth, prefix, within } = stretch;
  const { plan, directions } = walking;
  if (depth === plan.columns.length) return yield* byKey(walking, stretch, start);
  if (directions.slice(depth).every((direction) => direction > 0)) {
    return yield* upwards(walking, stretch, start);
  }
  const last = prefix + missing;
  const beginsInLast = start?.values[depth] === missing;
  const others = intersection(within, { gte: prefix, lt: last });
  if (!beginsInLast) yield* groups(walking, { ...stretch, within: others }, start);
  const withoutValue = { depth: depth + 1, prefix: last, within: intersection(within, regionOf(last)) };
  yield* read(walking, withoutValue, beginsInLast ? start : undefined);
}

/** All entries have the same values. */
function* byKey(
  { plan, firstBatch }: Walking,
  { prefix, within }: Stretch,
  start: ParsedEntry | undefined,
): Walk {
  const reverse = plan.keyDirection < 0;
  let rest =
    start === undefined ? within : intersection(within, restAfter(within, prefix + start.key, reverse));
  for (let limit = firstBatch; ; limit = more(limit)) {
    const entries = yield { toRead: { ...rest, reverse, limit } };
    yield { entries };
    if (entries.length < limit) return;
    rest = restAfter(rest, entries.at(-1) as string, reverse);
  }
}

function* upwards(walking: Walking, stretch: Stretch, start: ParsedEntry | undefined): Walk {
  const { depth, prefix, within } = stretch;
  const { columns } = walking.plan;
  let rest =
    start === undefined ? within : intersection(within, { gte: firstOf(stretch, start), lt: within.lt });
  for (let limit = walking.firstBatch; ; limit = more(limit)) {
    const entries = yield { toRead: { ...rest, reverse: false, limit } };
    let cut: string | undefined;
    const known: string[] = [];
    for (const entry of entries) {
      cut = cutGroupOf(entry, prefix.length, columns.length - depth);
      if (cut !== undefined) break;
      known.push(entry);
    }
    yield { entries: known };
    if (cut !== undefined) {
      yield { cut: intersection(within, regionOf(cut)) };
      rest = { gte: afterValue(cut), lt: rest.lt };
    } else if (entries.length < limit) return;
    else rest = restAfter(rest, entries.at(-1) as string, false);
  }
}

/** Where the entries that may follow a position begin. */
function firstOf({ depth, prefix }: Stretch, { values, key }: ParsedEntry): string {
  let text = prefix;
  for (const value of values.slice(depth)) {
    text += value;
    if (isCut(value)) return text;
  }
  return text + key;
}

function* groups(walking: Walking, stretch: Stretch, start: ParsedEntry | undefined): Walk {
  const { depth, prefix, within } = stretch;
  const { directions, firstBatch } = walking;
  const reverse = (directions[depth] as number) < 0;
  const first = start === undefined ? undefined : prefix + (start.values[depth] as string);
  let rest = within;
  if (first !== undefined) {
    rest = intersection(
      rest,
      reverse ? { gte: prefix, lt: afterValue(first) } : { gte: first, lt: within.lt },
    );
  }
  for (let limit = firstBatch; ; limit = more(limit)) {
    const entries = yield { toRead: { ...rest, reverse, limit } };
    const found = groupsOf(entries, prefix.length);
    // The last group may have more entries than were read.
    const open = entries.length < limit ? undefined : found.pop();
    yield* sorted(walking, stretch, { entries, found });
    if (open === undefined) return;
    let last = found.at(-1)?.name;
    // A group of one entry so far is probably small, and is read again with those after it.
    if (last === undefined || open.end - open.first > 1) {
      last = open.name;
      const region = intersection(within, regionOf(last));
      if (isCut(last)) yield { cut: region };
      else {
        const group = { depth: depth + 1, prefix: last, within: region };
        yield* read(walking, group, last === first ? start : undefined);
      }
    }
    rest = reverse ? { gte: rest.gte, lt: last } : { gte: afterValue(last), lt: rest.lt };
  }
}

/** Gives groups that are known as a whole. */
function* sorted(
  { plan, directions }: Walking,
  { depth, prefix }: Stretch,
  { entries, found }: { readonly entries: readonly string[]; readonly found: readonly Group[] },
): Walk {
  const columns = plan.columns.length - depth;
  let ready: string[] = [];
  for (const { name, first, end } of found) {
    let isCutGroup = false;
    for (let at = first; at < end && !isCutGroup; at++)
      isCutGroup = cutGroupOf(entries[at] as string, prefix.length, columns) !== undefined;
    if (isCutGroup) {
      yield { entries: ready };
      ready = [];
      yield { cut: regionOf(name) };
    } else if (end - first === 1) ready.push(entries[first] as string);
    else
      ready.push(
        ...sortEntries(entries.slice(first, end), name.length, directions.slice(depth + 1), missing),
      );
  }
  yield { entries: ready };
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
  /** The place of the first one, and the one after the last. */
  readonly first: number;
  end: number;
}

/** Groups entries by the value that begins at `start`. */
function groupsOf(entries: readonly string[], start: number): Group[] {
  const groups: Group[] = [];
  let last: Group | undefined;
  for (const [at, entry] of entries.entries()) {
    if (last === undefined || !entry.startsWith(last.name)) {
      last = { name: entry.slice(0, endOfValue(entry, start)), first: at, end: at };
      groups.push(last);
    }
    last.end = at + 1;
  }
  return groups;
}

/** What is left of a region after this entry. */
function restAfter({ gte, lt }: Region, entry: string, reverse: boolean): Region {
  return reverse ? { gte, lt: entry } : { gte: `${entry}\0`, lt };
}

/** The entries that begin with these values. */
function regionOf(values: string): Region {
  return { gte: values, lt: afterValue(values) };
}
