import { randomBytes } from 'node:crypto';
import type { ItemStore } from '../engines/item-store.js';
import { resolveWithin } from '../lib/concurrency/time-limit.js';
import type { Log } from '../lib/log.js';
import { logOutages } from '../lib/log-outages.js';
import { maintenanceSpace } from '../spaces.js';

/** Whether this server does maintenance. */
export interface Leadership {
  /** Asked before every step. */
  isHeld(): boolean;
  start(): void;
  /** Releases the lease, so that another server can take it at once. Resolves even if that fails. */
  stop(): Promise<void>;
}

/** For rows that no other process uses. It writes nothing, so an idle disk may sleep. */
export const soleServer: Leadership = { isHeld: () => true, start() {}, async stop() {} };

export interface LeaseDependencies {
  readonly items: ItemStore;
  readonly log: Log;
  /** Whether the lease is better with another server. Default: never. */
  readonly yields?: () => boolean;
  /** A clock in milliseconds that is never set back. */
  readonly monotonicMs?: () => number;
}

export interface Lease extends Leadership {
  /** Takes the lease if it is free, renews it if this server has it. `start` does this again and again. */
  acquireOrRenew(): Promise<void>;
}

const leaseKey = 'lease';
const renewEveryMs = 1500;
/**
 * Counted from the moment before the renewal is sent, so it ends before any other server has waited `takeOverAfterMs`.
 */
const validMs = 5000;
const takeOverAfterMs = 7000;
/** If the rows cannot be reached in this time, the lease expires instead, and another server takes it. */
const releaseWithinMs = 2000;

interface LeaseRow {
  readonly holder: string;
  /** Incremented by each renewal: it shows other servers that the holder is alive. */
  readonly renewal: number;
  /** Any server that does not yield takes it at once. */
  readonly yields?: true | undefined;
}

/**
 * The leader lease: one of many servers does maintenance. A row names the holder, which renews the row by
 * compare-and-set. Another server takes the lease when it has seen the same row for `takeOverAfterMs` of its own clock,
 * so the clocks need not agree. A holder that yields loses the lease to a server that does not, and finds out at its next
 * renewal. The lease only avoids duplicate work. Correctness does not depend on it: a server that
 * is suspended while its lease ends still finishes its step, and every step may be repeated.
 */
export function createLease(dependencies: LeaseDependencies): Lease {
  const { items, log, yields = () => false, monotonicMs = () => performance.now() } = dependencies;
  const self = randomBytes(9).toString('base64url');
  let heldUntilMs = Number.NEGATIVE_INFINITY;
  let seen: Buffer | undefined;
  let seenSinceMs = 0;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let stopped = false;

  async function acquire(): Promise<void> {
    const row = await items.get(maintenanceSpace, leaseKey);
    const nowMs = monotonicMs();
    const isSame = row === undefined ? seen === undefined : seen?.equals(row) === true;
    if (!isSame) [seen, seenSinceMs] = [row, nowMs];
    const current = row === undefined ? undefined : readLease(row);
    const isHolder = current?.holder === self;
    const isYielded = current?.yields === true && !yields();
    const isFree = row === undefined || isYielded || nowMs - seenSinceMs >= takeOverAfterMs;
    if (!isHolder) heldUntilMs = Number.NEGATIVE_INFINITY;
    if (!isHolder && !isFree) return;
    const renewal = (current?.renewal ?? 0) + 1;
    await take(row, { holder: self, renewal, yields: yields() || undefined }, isHolder);
  }

  async function take(expected: Buffer | undefined, next: LeaseRow, isHolder: boolean): Promise<void> {
    const sentMs = monotonicMs();
    const value = Buffer.from(JSON.stringify(next));
    const isTaken = await items.transact(maintenanceSpace, [leaseKey], ([row]) => {
      const isExpected = row === undefined ? expected === undefined : expected?.equals(row) === true;
      return { puts: isExpected ? [{ key: leaseKey, value }] : [], result: isExpected };
    });
    heldUntilMs = isTaken ? sentMs + validMs : Number.NEGATIVE_INFINITY;
    if (isTaken && !isHolder) log.info({}, 'this server does maintenance from now on');
  }

  const tryToAcquire = logOutages(acquire, log, 'the leader lease cannot be renewed');

  function acquireOrRenew(): Promise<void> {
    running ??= tryToAcquire().finally(() => {
      running = undefined;
    });
    return running;
  }

  async function release(): Promise<void> {
    await running;
    if (heldUntilMs === Number.NEGATIVE_INFINITY) return;
    heldUntilMs = Number.NEGATIVE_INFINITY;
    await items.transact(maintenanceSpace, [leaseKey], ([row]) => {
      const isHolder = row !== undefined && readLease(row).holder === self;
      return { deletes: isHolder ? [leaseKey] : [], result: undefined };
    });
  }

  return {
    isHeld: () => !stopped && monotonicMs() < heldUntilMs,
    acquireOrRenew,
    start() {
      timer ??= setInterval(acquireOrRenew, renewEveryMs).unref();
      void acquireOrRenew();
    },
    async stop() {
      stopped = true;
      clearInterval(timer);
      await resolveWithin(
        releaseWithinMs,
        release().catch((cause) => log.error({ err: cause }, 'the leader lease could not be released')),
      );
    },
  };
}

function readLease(row: Buffer): LeaseRow {
  return JSON.parse(row.toString()) as LeaseRow;
}
