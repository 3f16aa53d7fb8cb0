import { type ChangeLog, type LogValue, readLogValue } from '../engines/change-log.js';
import type { ItemStore, Row } from '../engines/item-store.js';
import { scanBatches } from '../engines/scan-batches.js';

/** A row of a log. */
export interface LogRow extends LogValue {
  readonly key: string;
  /** About how much memory it takes. */
  readonly bytes: number;
}

/** Reads a row of a log. */
export function logRow({ key, value }: Pick<Row, 'key' | 'value'>): LogRow {
  return { key, bytes: value.length, ...readLogValue(value) };
}

/** Rows of a log, without a gap from the key that was asked for on. */
export interface LogRows {
  readonly rows: readonly LogRow[];
  /** All rows before this key were given. */
  readonly next: string;
}

/** The end of one log, which is read once for all that follow it. */
export interface Tail {
  /** Gives rows from this key on; undefined if it is before what the tail remembers. */
  from(next: string): LogRows | undefined;
  /** Resolves when there may be rows from this key on, or when `isOver` has become true, which is asked each second. */
  wait(next: string, isOver: () => boolean): Promise<void>;
}

export interface Tails {
  /** The tail of a log, up to date as of the call. Call `leave` when the reader is done. */
  join(log: string): Promise<{ readonly tail: Tail; leave(): void }>;
  stop(): void;
}

interface Waiter {
  readonly isOver: () => boolean;
  readonly resolve: () => void;
}

/** How often a log is asked whose engine does not say when there is more. */
const askEveryMs = 100;
const lookEveryMs = 1000;
/** What a tail remembers: a reader who is further back reads the log itself. */
const maxRows = 1000;
const maxBytes = 1024 * 1024;
/** What is read at once, at most: rows that nobody keeps are not read. */
const maxReadBytes = 8 * maxBytes;

/** A log that may have epochs (`stored-log.ts`). */
type TailLog = ChangeLog & { readonly epoch?: string };

/** Follows the ends of the logs that somebody reads. */
export function createTails(items: Pick<ItemStore, 'scan'>, log: TailLog): Tails {
  const open = new Map<string, OpenTail>();
  const stopListening = log.onCommit?.((logs) => {
    for (const space of logs) refresh(open.get(space));
  });
  const asking =
    log.onCommit === undefined
      ? setInterval(() => {
          for (const tail of open.values()) refresh(tail);
        }, askEveryMs).unref()
      : undefined;
  const looking = setInterval(() => {
    // So this process knows what it has given when a standby of the database takes over, and sees that soon.
    if (log.order !== undefined && open.size === 0) log.complete().catch(() => {});
    for (const tail of open.values()) {
      tail.look();
      refresh(tail);
    }
  }, lookEveryMs).unref();

  return {
    async join(space) {
      let tail = open.get(space);
      if (tail === undefined) {
        tail = createTail(items, log, space);
        open.set(space, tail);
      }
      const joined = tail;
      joined.readers++;
      const leave = () => {
        if (--joined.readers === 0) open.delete(space);
      };
      try {
        await log.caughtUp?.();
        await joined.refresh();
      } catch (cause) {
        leave();
        throw cause;
      }
      return { tail: joined, leave };
    },
    stop() {
      stopListening?.();
      clearInterval(asking);
      clearInterval(looking);
      for (const tail of open.values()) tail.wakeAll();
    },
  };
}

/** The last rows that are kept, one or more: whoever needs those before them reads the log. */
function lastOf(rows: readonly LogRow[]): readonly LogRow[] {
  let from = rows.length;
  for (let bytes = 0; from > 0 && rows.length - from < maxRows; from--) {
    bytes += (rows[from - 1] as LogRow).bytes;
    if (bytes > maxBytes && from < rows.length) break;
  }
  return from === 0 ? rows : rows.slice(from);
}

/** If the rows cannot be read now, it is tried again soon. */
function refresh(tail: OpenTail | undefined): void {
  tail?.refresh().catch(() => {});
}

interface OpenTail extends Tail {
  readers: number;
  /** Reads what has come. Rejects if the rows cannot be read. */
  refresh(): Promise<void>;
  /** Wakes the waiters that are over. */
  look(): void;
  wakeAll(): void;
}

function createTail(items: Pick<ItemStore, 'scan'>, log: TailLog, space: string): OpenTail {
  const waiters = new Set<Waiter>();
  let rows: readonly LogRow[] = [];
  /** What is remembered begins here; undefined before the first read. */
  let first: string | undefined;
  let next = '';
  let { epoch } = log;
  let running: Promise<void> | undefined;
  let again = false;

  async function read(): Promise<void> {
    const complete = await log.complete();
    if (first === undefined || epoch !== log.epoch) {
      rows = [];
      first = complete;
      next = complete;
      epoch = log.epoch;
      wakeAll();
      return;
    }
    if (complete <= next) return;
    let kept = rows;
    let [count, bytes] = [0, 0];
    for await (const batch of scanBatches(items, space, { gte: next, lt: complete })) {
      count += batch.length;
      for (const { value } of batch) bytes += value.length;
      // There is more than is worth being read at once for all: each reader reads what it needs.
      if (count > maxRows || bytes > maxReadBytes) break;
      kept = lastOf(kept.concat(batch.map(logRow)));
    }
    if (count > maxRows || bytes > maxReadBytes) {
      rows = [];
      first = complete;
    } else if (kept.length < rows.length + count) {
      rows = kept;
      first = kept[0]?.key ?? complete;
    } else rows = kept;
    next = complete;
    if (count > 0) wakeAll();
  }

  function wakeAll(): void {
    const woken = [...waiters];
    waiters.clear();
    for (const { resolve } of woken) resolve();
  }

  async function refreshNow(): Promise<void> {
    if (running !== undefined) {
      again = true;
      return await running;
    }
    running = (async () => {
      try {
        do {
          again = false;
          await read();
        } while (again);
      } finally {
        // Here, not when the promise has settled: who asks in between would be told of a read that began before.
        running = undefined;
      }
    })();
    await running;
  }

  return {
    readers: 0,
    from(asked) {
      // Of another epoch, rows with these keys may be others.
      if (first === undefined || asked < first || epoch !== log.epoch) return undefined;
      const at = rows.findIndex(({ key }) => key >= asked);
      return { rows: at === -1 ? [] : rows.slice(at), next: next > asked ? next : asked };
    },
    wait(asked, isOver) {
      const isBehind = first === undefined || asked < first || rows.some(({ key }) => key >= asked);
      if (isBehind || isOver()) return Promise.resolve();
      return new Promise((resolve) => waiters.add({ isOver, resolve }));
    },
    refresh: refreshNow,
    look() {
      for (const waiter of waiters) {
        if (!waiter.isOver()) continue;
        waiters.delete(waiter);
        waiter.resolve();
      }
    },
    wakeAll,
  };
}
