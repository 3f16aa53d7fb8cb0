import type { DueRow, ItemStore } from '../engines/item-store.js';
import { type Clock, nowSeconds } from '../lib/clock.js';
import type { Log } from '../lib/log.js';

/**
 * Handles due rows of a space, as long as `mayContinue` says so. Gives the keys of those that must be handled again later. May be
 * repeated for the same rows.
 */
export type Owner = (
  space: string,
  keys: readonly string[],
  mayContinue: () => boolean,
) => Promise<readonly string[]>;

/** The owner of rows that are handled one by one. `handle` resolves to false when the row must be handled again later. */
export function oneByOne(handle: (space: string, key: string) => Promise<unknown>): Owner {
  return async (space, keys, mayContinue) => {
    const later: string[] = [];
    for (const key of keys) if (!mayContinue() || (await handle(space, key)) === false) later.push(key);
    return later;
  };
}

export interface MaintenanceDependencies {
  readonly items: ItemStore;
  /** The function that handles the due rows of a space, by the word before the first `/` of the space. */
  readonly owners: Readonly<Record<string, Owner>>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'error'>;
  /** Whether this server does maintenance. */
  readonly mayWork: () => boolean;
  /** Called after a due row was handled. */
  readonly onHandled?: OnHandled | undefined;
}

/** `owner`: the word before the first `/` of the row's space. */
export type OnHandled = (owner: string, outcome: 'done' | 'put off' | 'failed') => void;

export type Maintenance = ReturnType<typeof createMaintenance>;

const intervalMs = 1000;
const batchRows = 100;
/** How many rows of a space are handled together, and how many such groups at a time: few, because requests come first. */
const together = 25;
const atOnce = 4;
/** How long a row is put off if its handling failed or it is still in use. */
const retryMs = 5000;
/** The maximum number of rows that are put off. If there are more, the earliest are tried again sooner. */
const maxPutOff = 10_000;

/**
 * Background work: expired items, dropped uploads, garbage. (Orphans: `store/orphans.ts`.) All of it is stored as due
 * rows, so nothing is forgotten when the server restarts or another one takes over. A row whose handling fails is
 * logged and put off; it does not block the others.
 */
export function createMaintenance(dependencies: MaintenanceDependencies) {
  const { items, owners, clock, log, mayWork, onHandled } = dependencies;
  const putOff = createPutOff(clock);
  /** The rows that are not handled together with others. */
  const alone = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let again = false;
  let stopped = false;
  const mayContinue = () => !stopped && mayWork();

  async function run(): Promise<void> {
    let before = new Set<string>();
    while (mayContinue()) {
      // In each turn: while new rows become due all the time, the run does not end.
      putOff.forgetElapsed();
      const due = await items.due(nowSeconds(clock), batchRows + putOff.size());
      const now = due.filter((row) => !putOff.has(row));
      // Its owner has handled it, but it is still due: put it off, or this loop would not end.
      for (const row of now) if (before.has(idOf(row)) && !alone.has(idOf(row))) putOff.add(row);
      before = new Set(now.map(idOf));
      const groups = groupsToHandle(now, alone);
      alone.clear();
      for (let at = 0; at < groups.length && mayContinue(); at += atOnce) {
        await Promise.all(groups.slice(at, at + atOnce).map(handle));
        // Requests that arrived in the meantime are answered first.
        await new Promise((resolve) => setImmediate(resolve));
      }
      if (now.length === 0 || putOff.isFull()) return;
    }
  }

  /** Handles rows of one space. */
  async function handle(rows: readonly DueRow[]): Promise<void> {
    const space = rows[0]?.space ?? '';
    const ownerName = space.slice(0, space.indexOf('/'));
    try {
      const owner = owners[ownerName];
      if (owner === undefined) throw new Error(`Nobody owns the due rows of ${space}`);
      const later = new Set(
        await owner(
          space,
          rows.map(({ key }) => key),
          mayContinue,
        ),
      );
      for (const row of rows) {
        if (later.has(row.key)) putOff.add(row);
        onHandled?.(ownerName, later.has(row.key) ? 'put off' : 'done');
      }
    } catch (cause) {
      const [row] = rows;
      if (rows.length > 1 || row === undefined) {
        // One row may have failed the whole group: the next turn tries each of them alone.
        for (const each of rows) alone.add(idOf(each));
        return;
      }
      onHandled?.(ownerName, 'failed');
      log.error({ err: cause }, 'maintenance of a row failed and will be repeated');
      putOff.add(row);
    }
  }

  /** Handles all rows that are due now. Resolves when each was handled or put off. */
  function runOnce(): Promise<void> {
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  }

  function tick(): void {
    if (timer === undefined || !mayContinue()) return;
    if (running !== undefined) {
      again = true;
      return;
    }
    runOnce()
      .catch((cause) => log.error({ err: cause }, 'maintenance could not read the due rows'))
      .finally(() => {
        const goesOn = again && !putOff.isFull();
        again = false;
        if (goesOn) tick();
      });
  }

  return {
    /** Reads the due rows every second, and when woken, until `stop`. */
    start(): void {
      timer ??= setInterval(tick, intervalMs).unref();
      tick();
    },
    /** Reads the due rows soon, because some row has become due. Does not wait for it. */
    wake: tick,
    runOnce,
    /** Resolves when the work in progress has ended. No more begins after it. */
    async stop(): Promise<void> {
      stopped = true;
      clearInterval(timer);
      await running?.catch(() => {});
    },
  };
}

/** The rows that are not handled before some time has passed. */
function createPutOff(clock: Clock) {
  const untilMs = new Map<string, number>();
  return {
    size: () => untilMs.size,
    /** The rest waits for the next second: each turn reads all that are put off. */
    isFull: () => untilMs.size >= maxPutOff,
    has: (row: DueRow) => untilMs.has(idOf(row)),
    add(row: DueRow): void {
      if (untilMs.size >= maxPutOff) {
        const [earliest] = untilMs.keys();
        if (earliest !== undefined) untilMs.delete(earliest);
      }
      untilMs.set(idOf(row), clock() + retryMs);
    },
    forgetElapsed(): void {
      for (const [id, until] of untilMs) if (until <= clock()) untilMs.delete(id);
    },
  };
}

/** Rows of the same space, in groups that are handled together. */
function groupsToHandle(rows: readonly DueRow[], alone: ReadonlySet<string>): DueRow[][] {
  const groups: DueRow[][] = [];
  const open = new Map<string, DueRow[]>();
  for (const row of rows) {
    if (alone.has(idOf(row))) {
      groups.push([row]);
      continue;
    }
    let group = open.get(row.space);
    if (group === undefined || group.length === together) {
      group = [];
      open.set(row.space, group);
      groups.push(group);
    }
    group.push(row);
  }
  return groups;
}

function idOf({ space, key }: DueRow): string {
  return `${space}\0${key}`;
}
