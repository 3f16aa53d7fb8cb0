import { randomInt } from 'node:crypto';
import type { Change, Put, Row, Snapshot, TextRow } from './item-store.js';

/**
 * Exact counts of rows that are kept in step with writes: how many items a base has, or files a drive, and their bytes.
 *
 * A counter is rows of the space that it counts, whose keys begin with a prefix of its own. So each transaction changes it
 * in the same atomic step as what it counts. What it says is the sum of its rows:
 *
 *   {prefix}        its head, without which nothing is counted. On an engine of one process, all is in the head
 *   {prefix}{slot}  what servers with this slot have added, on an engine that servers share: a row that every server
 *                   changed would make them wait for each other
 *
 * A transaction that finds no head puts one, which says that the count begins: from then on, everybody adds what changes.
 * What was there before is counted once and added to the head (`first-count.ts`). Such a head is due, so that this is
 * found again after a restart, or by another server.
 */
export interface Tally {
  readonly rows: number;
  readonly bytes: number;
}

/** A row of a counter. Stored as JSON: never rename a member. */
interface CounterRow extends Tally {
  /** Only in a head whose space is being counted: who counts it, or an empty text. */
  readonly building?: string | undefined;
}

const slots = 16;
const nothing: CounterRow = { rows: 0, bytes: 0 };

/** What a transaction has read, by key. */
export type StoredRows = Pick<ReadonlyMap<string, Buffer | undefined>, 'has' | 'get'>;

/** A counter as a server changes it. */
export interface Counter {
  readonly head: string;
  /** The row that this server changes. Transactions read it. */
  readonly own: string;
  /** All keys that it may have. */
  readonly keys: readonly string[];
  /**
   * What a transaction changes of the counter, or which rows it has to read first. `stored` has what it has read, by key.
   * `added` is what its change adds to what is counted.
   */
  change(
    stored: StoredRows,
    added: Tally,
  ): Pick<Change<unknown>, 'puts' | 'deletes'> | { readonly unread: readonly string[] };
}

export function createCounter(prefix: string, isShared: boolean): Counter {
  const own = isShared ? `${prefix}${randomInt(slots)}` : prefix;

  function put(key: string, row: CounterRow): Pick<Change<unknown>, 'puts' | 'deletes'> {
    // Without it, the space is not counted: that is right while nobody has counted what was there before, too. If others
    // have added something, it is in rows of their own, and no row of this server is as good as one that adds nothing.
    const isNothing = row.rows === 0 && row.bytes === 0 && !row.building && (key !== prefix || !isShared);
    return isNothing ? { deletes: [key] } : { puts: [counterRow(key, row)] };
  }

  return {
    head: prefix,
    own,
    keys: [prefix, ...Array.from({ length: slots }, (_, slot) => `${prefix}${slot}`)],

    change(stored, { rows, bytes }) {
      if (rows === 0 && bytes === 0) return {};
      if (!stored.has(own)) return { unread: [own] };
      const before = readCounterRow(stored.get(own));
      if (before === undefined) {
        if (!stored.has(prefix)) return { unread: [prefix] };
        if (stored.get(prefix) === undefined) return put(prefix, { rows, bytes, building: '' });
      }
      const { building } = before ?? nothing;
      const sum = sumOf([before ?? nothing, { rows, bytes }]);
      return put(own, { ...sum, ...(building !== undefined && { building }) });
    },
  };
}

export function readCounterRow(row: Buffer | string | undefined): CounterRow | undefined {
  return row === undefined ? undefined : (JSON.parse(row.toString()) as CounterRow);
}

/** The row of a counter. A head whose space is being counted is due at once. */
export function counterRow(key: string, row: CounterRow): Put {
  const put: Row = { key, value: Buffer.from(JSON.stringify(row)) };
  return row.building === undefined ? put : { ...put, dueSeconds: 0 };
}

export function sumOf(tallies: readonly Tally[]): Tally {
  let rows = 0;
  let bytes = 0;
  for (const tally of tallies) {
    rows += tally.rows;
    bytes += tally.bytes;
  }
  return { rows, bytes };
}

/** Counts rows that were read in batches. */
export async function tallyOf(
  batches: AsyncIterable<readonly TextRow[]>,
  bytesOf: (row: TextRow) => number,
): Promise<Tally> {
  let rows = 0;
  let bytes = 0;
  for await (const batch of batches) {
    rows += batch.length;
    for (const row of batch) bytes += bytesOf(row);
  }
  return { rows, bytes };
}

/** What the rows of a counter say at one moment, and whether that is all that there is. */
export interface CounterState {
  readonly sum: Tally;
  readonly isWhole: boolean;
}

/** Reads a counter; undefined if the space is not counted. */
export async function readCounter(
  snapshot: Pick<Snapshot, 'scanText'>,
  prefix: string,
): Promise<CounterState | undefined> {
  const rows: CounterRow[] = [];
  for await (const batch of snapshot.scanText({ prefix }))
    for (const { text } of batch) rows.push(readCounterRow(text) ?? nothing);
  if (rows.length === 0) return undefined;
  return { sum: sumOf(rows), isWhole: rows.every(({ building }) => building === undefined) };
}
