import type { EmptiedRows } from './emptied-rows.js';
import { type EmptiedSpan, parted, total } from './emptied-spans.js';
import { keyAfter } from './fences.js';
import { dueMark } from './row-encoding.js';
import type { SyncedDatabase, Tables } from './synced-database.js';

/** Long enough that the batches of a large delete are compacted together. */
const gatheredMs = 250;
/** What one step may free: between two of them the disk is looked at. */
const stepBytes = 16 * 1024 * 1024;
/** What could not be given back is tried again after this time, and each time after twice as long. */
const firstRetryMs = 1000;
const longestRetryMs = 60_000;
/** More is not compacted as a whole: it takes LevelDB's thread some seconds. */
const mostBytesAtOnce = 256 * 1024 * 1024;
const allEveryMs = 10 * 60_000;
const [firstKey, lastKey] = [dueMark, '\u{10ffff}'];

/** Gives back what deleted rows take while the disk has little room: at once, whatever it costs. */
export interface UrgentShrink {
  /** What it has taken from `emptied` to give it back. */
  readonly spans: readonly EmptiedSpan[];
  /** Does what is to be done now. Callers share it. It never rejects. */
  run(): Promise<void>;
  /** Call it after each write: deletes are given back soon. */
  noteWrite(): void;
  /** Resolves when the step in progress has ended. No more begins. */
  stop(): Promise<void>;
}

export interface UrgentShrinkDependencies {
  readonly tables: Tables;
  readonly emptied: EmptiedRows;
  readonly room: SyncedDatabase['room'];
  /** Whether nothing may be compacted: a damaged block would get a checksum that is right. */
  readonly isHeldBack: () => boolean;
  /** Writes these rows again as they are, also those that are deleted. */
  readonly rewrite: (keys: readonly string[]) => Promise<void>;
  readonly monotonicMs?: () => number;
}

/**
 * A client that has deleted everything must be able to write again, also after a kill. So nothing is forgotten here
 * before it is given back: neither when LevelDB had no room to compact it, which it does not say, nor when a reader could
 * still see it. What a kill has made the server forget is found by compacting all rows, if they are few.
 */
export function createUrgentShrink({
  tables,
  emptied,
  room,
  isHeldBack,
  rewrite,
  monotonicMs = () => performance.now(),
}: UrgentShrinkDependencies): UrgentShrink {
  let taken: readonly EmptiedSpan[] = [];
  /** What could not be given back, and waits in `emptied`. */
  let failedBytes = 0;
  let retryMs = firstRetryMs;
  let nextRetryMs = 0;
  let nextAllMs = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isStopped = false;

  const mayWork = () => room.isShort && !isHeldBack() && !isStopped;
  const isNew = () => emptied.bytes > failedBytes;

  async function giveBack(): Promise<void> {
    await room.look();
    let isDue = isNew() || (failedBytes > 0 && monotonicMs() >= nextRetryMs);
    while (isDue && mayWork()) {
      await giveBackEmptied();
      isDue = failedBytes === 0 && isNew();
    }
    if (mayWork()) await giveBackForgotten();
  }

  async function giveBackEmptied(): Promise<void> {
    taken = emptied.take();
    const steps = parted(taken, stepBytes);
    const failed: EmptiedSpan[] = [];
    try {
      for (let step = steps[0]; step !== undefined && mayWork(); step = steps[0]) {
        const { from } = step[0] as EmptiedSpan;
        const { to } = step.at(-1) as EmptiedSpan;
        if (!(await isGivenBack(from, to))) failed.push(...step);
        steps.shift();
        await room.look();
      }
    } catch {
      failed.push(...steps.splice(0).flat());
    } finally {
      emptied.add([...failed, ...steps.flat()]);
      taken = [];
      failedBytes = total(failed);
      nextRetryMs = monotonicMs() + retryMs;
      retryMs = failedBytes > 0 ? Math.min(2 * retryMs, longestRetryMs) : firstRetryMs;
    }
  }

  /** The rows after the ends do not exist, so that what is written is small: LevelDB then merges all between them. */
  async function isGivenBack(from: string, to: string): Promise<boolean> {
    const mayBeSeen = !tables.olderReaders().areGone;
    const refused = tables.refusedWrites();
    await rewrite([...new Set([keyAfter(from), keyAfter(to)])]);
    await tables.compact(from, to);
    // LevelDB takes no write after it had no room to compact. Then it is reopened now.
    await rewrite([keyAfter(from)]);
    return !mayBeSeen && tables.refusedWrites() === refused;
  }

  async function giveBackForgotten(): Promise<void> {
    if (monotonicMs() < nextAllMs || !room.hasHalf) return;
    nextAllMs = monotonicMs() + allEveryMs;
    if ((await tables.bytesOf(firstKey, lastKey)) > mostBytesAtOnce) return;
    await tables.compact(firstKey, lastKey);
    await rewrite([keyAfter(firstKey)]);
    await room.look();
  }

  function run(): Promise<void> {
    running ??= giveBack()
      // LevelDB is closed, or the disk is too full to compact anything.
      .catch(() => {})
      .finally(() => {
        running = undefined;
      });
    return running;
  }

  return {
    get spans() {
      return taken;
    },
    run,
    noteWrite() {
      if (!mayWork() || !isNew()) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        void run();
      }, gatheredMs);
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
