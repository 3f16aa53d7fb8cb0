import type { DueRow, ItemStore } from '../engines/item-store.js';
import { type Clock, nowSeconds } from '../lib/clock.js';
import type { Log } from '../lib/log.js';

/** Does what a due row asks for. False: it is to be asked again later. Doing it twice does no harm. */
export type Owner = (space: string, key: string) => Promise<unknown>;

export interface UpkeepParts {
  readonly items: ItemStore;
  /** Who knows the rows of a space, by the word before its first `/`. */
  readonly owners: Readonly<Record<string, Owner>>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'error'>;
  /** Whether this server is the one that does it. */
  readonly mayWork: () => boolean;
}

export interface Maintenance {
  /** Looks for due rows every second, and when woken, until `stop`. */
  start(): void;
  /** Something is due: looked at soon, without waiting for it. */
  wake(): void;
  /** Does all that is due now and resolves when it is done or put off. */
  runOnce(): Promise<void>;
  /** Resolves when what is under way is done; nothing begins after it. */
  stop(): Promise<void>;
}

const intervalMs = 1000;
const batchRows = 100;
/** Of a batch, so many at a time: the requests come first. */
const atOnce = 4;
/** A row that failed, or is still in use, is left alone for so long. */
const retryMs = 5000;
/** More rows than this are not put off; the earliest of them are tried again sooner. */
const maxPutOff = 10_000;

/**
 * The work in the background: expired items, dropped uploads, garbage. Everything it does is a row that is due,
 * so neither a restart nor another server that takes over forgets anything. A row that fails is logged and put off; it does not hold up the others.
 */
export function createMaintenance({ items, owners, clock, log, mayWork }: UpkeepParts): Maintenance {
  const putOffUntil = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let again = false;
  let stopped = false;
  const goesOn = () => !stopped && mayWork();

  async function run(): Promise<void> {
    forgetElapsed();
    let before = new Set<string>();
    while (goesOn()) {
      const due = await items.due(nowSeconds(clock), batchRows + putOffUntil.size);
      const now = due.filter((row) => !putOffUntil.has(idOf(row)));
      // Its owner said it was done with it, and yet it is still due: not in a circle.
      for (const row of now) if (before.has(idOf(row))) putOff(row);
      before = new Set(now.map(idOf));
      for (let at = 0; at < now.length && goesOn(); at += atOnce) {
        await Promise.all(now.slice(at, at + atOnce).map(handle));
        // Requests that have come meanwhile are answered first.
        await new Promise((resolve) => setImmediate(resolve));
      }
      if (now.length === 0) return;
    }
  }

  async function handle(row: DueRow): Promise<void> {
    const { space, key } = row;
    try {
      const owner = owners[space.slice(0, space.indexOf('/'))];
      if (owner === undefined) throw new Error(`Nobody owns the due rows of ${space}`);
      if ((await owner(space, key)) === false) putOff(row);
    } catch (cause) {
      // Whatever it was, it is told, and tried again.
      log.error({ err: cause }, 'upkeep failed, will try again');
      putOff(row);
    }
  }

  function putOff(row: DueRow): void {
    if (putOffUntil.size >= maxPutOff) {
      const [earliest] = putOffUntil.keys();
      if (earliest !== undefined) putOffUntil.delete(earliest);
    }
    putOffUntil.set(idOf(row), clock() + retryMs);
  }

  function forgetElapsed(): void {
    for (const [id, untilMs] of putOffUntil) if (untilMs <= clock()) putOffUntil.delete(id);
  }

  function runOnce(): Promise<void> {
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  }

  function tick(): void {
    if (timer === undefined || !goesOn()) return;
    if (running !== undefined) {
      again = true;
      return;
    }
    runOnce()
      .catch((cause) => log.error({ err: cause }, 'upkeep could not read what is due'))
      .finally(() => {
        if (!again) return;
        again = false;
        tick();
      });
  }

  return {
    start() {
      timer ??= setInterval(tick, intervalMs).unref();
      tick();
    },
    wake: tick,
    runOnce,
    async stop() {
      stopped = true;
      clearInterval(timer);
      await running?.catch(() => {});
    },
  };
}

function idOf({ space, key }: DueRow): string {
  return `${space}\0${key}`;
}
