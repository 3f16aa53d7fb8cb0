import { randomBytes } from 'node:crypto';
import type { ItemStore } from '../engines/item-store.js';
import type { Log } from '../lib/log.js';
import { resolveWithin } from '../lib/time-limit.js';
import { maintenanceSpace } from '../spaces.js';

/** Who may do the work in the background. */
export interface Leadership {
  /** Asked before every step. */
  isHeld(): boolean;
  start(): void;
  /** Lets another server go on at once. Resolves when that is done, or could not be. */
  stop(): Promise<void>;
}

/** Of rows that no other process uses: nothing is written, an idle disk may sleep. */
export const soleServer: Leadership = { isHeld: () => true, start() {}, async stop() {} };

export interface LeaseParts {
  readonly items: ItemStore;
  readonly log: Log;
  /** Milliseconds that only ever go forward. */
  readonly monotonicMs?: () => number;
}

export interface Lease extends Leadership {
  /** Takes the lease if it is free, renews it if it is ours: what `start` does again and again. */
  turn(): Promise<void>;
}

const leaseKey = 'lease';
const renewEveryMs = 1500;
/** Counted from before the renewal was sent, so it ends before anybody else can have waited long enough. */
const validMs = 5000;
const takeOverAfterMs = 7000;
/** When the rows are away, the others take the lease over without a word from here. */
const releaseWithinMs = 2000;

interface LeaseRow {
  readonly holder: string;
  /** Counts on, so that who watches the row sees that its holder lives. */
  readonly renewal: number;
}

/**
 * One of many servers leads. A row names it; it renews that row by compare-and-set. Another takes it when it has seen
 * the same row for some seconds of its own, so clocks need not agree. It keeps two servers from doing work twice,
 * it does not have to: a server that sleeps through the end of its lease ends the step it is in, and every step
 * may be done again.
 */
export function createLease({ items, log, monotonicMs = () => performance.now() }: LeaseParts): Lease {
  const self = randomBytes(9).toString('base64url');
  let heldUntilMs = Number.NEGATIVE_INFINITY;
  let seen: Buffer | undefined;
  let seenSinceMs = 0;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isAway = false;
  let stopped = false;

  async function takeTurn(): Promise<void> {
    const row = await items.get(maintenanceSpace, leaseKey);
    const nowMs = monotonicMs();
    const isSame = row === undefined ? seen === undefined : seen?.equals(row) === true;
    if (!isSame) [seen, seenSinceMs] = [row, nowMs];
    const current = row === undefined ? undefined : readLease(row);
    const isOurs = current?.holder === self;
    const isFree = row === undefined || nowMs - seenSinceMs >= takeOverAfterMs;
    if (!isOurs) heldUntilMs = Number.NEGATIVE_INFINITY;
    if (isOurs || isFree) await take(row, { holder: self, renewal: (current?.renewal ?? 0) + 1 }, isOurs);
  }

  async function take(expected: Buffer | undefined, next: LeaseRow, isOurs: boolean): Promise<void> {
    const sentMs = monotonicMs();
    const value = Buffer.from(JSON.stringify(next));
    const isTaken = await items.transact(maintenanceSpace, [leaseKey], ([row]) => {
      const isExpected = row === undefined ? expected === undefined : expected?.equals(row) === true;
      return { puts: isExpected ? [{ key: leaseKey, value }] : [], result: isExpected };
    });
    heldUntilMs = isTaken ? sentMs + validMs : Number.NEGATIVE_INFINITY;
    if (isTaken && !isOurs) log.info({}, 'work in the background is done by this server from now on');
  }

  function turn(): Promise<void> {
    running ??= takeTurn()
      .then(
        () => {
          isAway = false;
        },
        (cause) => {
          if (!isAway) log.error({ err: cause }, 'the lease of the work in the background cannot be renewed');
          isAway = true;
        },
      )
      .finally(() => {
        running = undefined;
      });
    return running;
  }

  async function release(): Promise<void> {
    await running;
    if (heldUntilMs === Number.NEGATIVE_INFINITY) return;
    heldUntilMs = Number.NEGATIVE_INFINITY;
    await items.transact(maintenanceSpace, [leaseKey], ([row]) => {
      const isOurs = row !== undefined && readLease(row).holder === self;
      return { deletes: isOurs ? [leaseKey] : [], result: undefined };
    });
  }

  return {
    isHeld: () => !stopped && monotonicMs() < heldUntilMs,
    turn,
    start() {
      timer ??= setInterval(turn, renewEveryMs).unref();
      void turn();
    },
    async stop() {
      stopped = true;
      clearInterval(timer);
      await resolveWithin(
        releaseWithinMs,
        release().catch((cause) => log.error({ err: cause }, 'the lease could not be released')),
      );
    },
  };
}

function readLease(row: Buffer): LeaseRow {
  return JSON.parse(row.toString()) as LeaseRow;
}
