import { type ChangeLog, type LogValue, readLogValue } from '../engines/change-log.js';
import type { ItemStore } from '../engines/item-store.js';

/** A row of a log. */
export interface LogRow extends LogValue {
  readonly key: string;
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
  /** Resolves when there may be more than before this key, or when `isOver` has become true, which is asked each second. */
  wait(next: string, isOver: () => boolean): Promise<void>;
}

export interface Tails {
  /** The tail of a log, up to date as of the call. Call `leave` when nobody of this reader asks it any more. */
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
const maxNotes = 20_000;

/** Follows the ends of the logs that somebody reads. */
export function createTails(items: Pick<ItemStore, 'scan'>, log: ChangeLog): Tails {
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

function notesIn({ keys }: LogRow): number {
  let notes = 0;
  for (const list of Object.values(keys)) notes += list.length;
  return notes;
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

function createTail(items: Pick<ItemStore, 'scan'>, log: ChangeLog, space: string): OpenTail {
  const waiters = new Set<Waiter>();
  let rows: LogRow[] = [];
  /** What is remembered begins here; undefined before the first read. */
  let first: string | undefined;
  let next = '';
  let running: Promise<void> | undefined;
  let again = false;

  async function read(): Promise<void> {
    const complete = await log.complete();
    if (first === undefined) {
      first = complete;
      next = complete;
      return;
    }
    if (complete <= next) return;
    const found: LogRow[] = [];
    for await (const batch of items.scan(space, { gte: next, lt: complete })) {
      for (const { key, value } of batch) found.push({ key, ...readLogValue(value) });
      if (found.length > maxRows) break;
    }
    next = complete;
    if (found.length === 0) return;
    if (found.length > maxRows) {
      // There may be more than was read.
      rows = [];
      first = next;
    } else {
      rows = rows.concat(found);
      keepLast();
    }
    wakeAll();
  }

  function wakeAll(): void {
    const woken = [...waiters];
    waiters.clear();
    for (const { resolve } of woken) resolve();
  }

  /** Forgets the oldest rows if there are too many. Whoever still needs them reads the log. */
  function keepLast(): void {
    let from = rows.length;
    for (let notes = 0; from > 0 && rows.length - from < maxRows; from--) {
      notes += notesIn(rows[from - 1] as LogRow);
      if (notes > maxNotes) break;
    }
    if (from === 0) return;
    rows = rows.slice(from);
    first = rows[0]?.key ?? next;
  }

  async function refreshNow(): Promise<void> {
    if (running !== undefined) {
      again = true;
      return await running;
    }
    running = (async () => {
      do {
        again = false;
        await read();
      } while (again);
    })().finally(() => {
      running = undefined;
    });
    await running;
  }

  return {
    readers: 0,
    from(asked) {
      if (first === undefined || asked < first) return undefined;
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
