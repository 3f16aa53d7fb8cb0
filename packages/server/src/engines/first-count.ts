import { createSemaphore } from '../lib/concurrency/semaphore.js';
import { randomId } from '../lib/random-id.js';
import { counterRow, readCounter, readCounterRow, sumOf, type Tally } from './counter.js';
import { type Change, headerKey, type ItemStore, type ScanRange, type TextRow } from './item-store.js';

/** What a counter counts. */
export interface Counted {
  /** The prefix of the rows of the counter. */
  readonly prefix: string;
  /** The rows that it counts. */
  readonly range: ScanRange;
  readonly bytesOf: (row: TextRow) => number;
  /** Whether a space is counted, by its header. */
  readonly isWanted: (header: Buffer | undefined) => boolean;
}

/** Counts what was there before a space was counted. */
export type FirstCount = ReturnType<typeof createFirstCount>;

export interface FirstCountOptions {
  readonly mayWork: () => boolean;
  readonly onError: (cause: unknown) => void;
  /** Begins a count: gives what rests after each batch, so that it takes its share of the time only. */
  readonly beginRests: () => () => Promise<void>;
}

/**
 * Everybody adds to the counter what changes from the moment on at which it has a head. So at any moment after that, what
 * was there at the beginning is what there is less what the counter says. Both are read in one snapshot.
 *
 * If two servers do it at once, the one that began last adds it.
 */
export function createFirstCount(
  items: ItemStore,
  kinds: readonly Counted[],
  { mayWork, onError, beginRests }: FirstCountOptions,
) {
  const running = new Map<string, Promise<void>>();
  /** A count holds a snapshot. */
  const oneAtATime = createSemaphore(() => 1);
  let isStopped = false;
  const mayContinue = () => !isStopped && mayWork();

  async function work(space: string): Promise<void> {
    for (const kind of kinds) if (mayContinue()) await countKind(space, kind);
  }

  async function countKind(space: string, kind: Counted): Promise<void> {
    const token = randomId();
    const head = { items, space, kind };
    if (!(await begin(head, token))) return;
    const before = await measure(head, beginRests(), mayContinue);
    if (before === undefined) return;
    await changeHead(head, (row) =>
      row?.building === token ? { rows: row.rows + before.rows, bytes: row.bytes + before.bytes } : undefined,
    );
  }

  /** Counts a space, if it is wanted and not counted yet. Resolves early if this server may not work any more. */
  function run(space: string): Promise<void> {
    const present = running.get(space);
    if (present !== undefined) return present;
    const begun = oneAtATime(() => work(space)).finally(() => running.delete(space));
    running.set(space, begun);
    return begun;
  }

  return {
    run,
    /** Begins to count a space, unless that is in progress. Does not wait for it. */
    start(space: string): void {
      if (mayContinue()) run(space).catch(onError);
    },
    async stop(): Promise<void> {
      isStopped = true;
      await Promise.allSettled(running.values());
    },
  };
}

/** The first row of the counter of a kind in a space. */
interface Head {
  readonly items: ItemStore;
  readonly space: string;
  readonly kind: Counted;
}

/** Resolves to whether there is something to count. */
function begin(head: Head, token: string): Promise<boolean> {
  return changeHead(head, (row) => {
    if (row !== undefined && row.building === undefined) return undefined;
    const { rows, bytes } = row ?? { rows: 0, bytes: 0 };
    return { rows, bytes, building: token };
  });
}

function changeHead(
  { items, space, kind: { prefix, isWanted } }: Head,
  next: (row: ReturnType<typeof readCounterRow>) => (Tally & { readonly building?: string }) | undefined,
): Promise<boolean> {
  return items.transact(space, [headerKey, prefix], ([header, head]): Change<boolean> => {
    const row = isWanted(header) ? next(readCounterRow(head)) : undefined;
    if (row === undefined) return { result: false };
    // As in `counter.ts`: only where nobody else may have added something.
    const isEmpty = !items.isShared && row.building === undefined && row.rows === 0 && row.bytes === 0;
    return { ...(isEmpty ? { deletes: [prefix] } : { puts: [counterRow(prefix, row)] }), result: true };
  });
}

/** What there is less what the counter says; undefined if the counting must end. */
async function measure(
  { items, space, kind: { prefix, range, bytesOf } }: Head,
  rest: () => Promise<void>,
  mayContinue: () => boolean,
): Promise<Tally | undefined> {
  const snapshot = await items.snapshot(space, { isLong: true });
  try {
    const counter = await readCounter(snapshot, prefix);
    let rows = 0;
    let bytes = 0;
    for await (const batch of snapshot.scanText(range)) {
      if (!mayContinue()) return undefined;
      rows += batch.length;
      for (const row of batch) bytes += bytesOf(row);
      await rest();
    }
    const { sum } = counter ?? { sum: { rows: 0, bytes: 0 } };
    return sumOf([
      { rows, bytes },
      { rows: -sum.rows, bytes: -sum.bytes },
    ]);
  } finally {
    await snapshot.close();
  }
}
