import { keyAfter } from '../damage/fences.js';
import type { SyncedDatabase, Tables } from '../database/synced-database.js';
import { dueMark } from '../rows/row-encoding.js';
import type { EmptiedRows } from './emptied-rows.js';
import { type EmptiedSpan, parted, total } from './emptied-spans.js';

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
 * Gives back what deleted rows take while the disk has little room: at once, whatever it costs.
 *
 * A client that has deleted everything must be able to write again, also after a kill. So nothing is forgotten here
 * before it is given back: neither when LevelDB had no room to compact it, which it does not say, nor when a reader could
 * still see it. What a kill has made the server forget is found by compacting all rows, if they are few.
 */
export function createUrgentShrink(dependencies: UrgentShrinkDependencies) {
  const { tables, emptied, room, isHeldBack, rewrite, monotonicMs = () => performance.now() } = dependencies;
  let taken: readonly EmptiedSpan[] = [];
  const failures = new Failures(monotonicMs);
  let nextAllMs = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isStopped = false;

  const mayWork = () => room.isShort && !isHeldBack() && !isStopped;
  const isNew = () => emptied.bytes > failures.bytes;

  async function giveBack(): Promise<void> {
    await room.look();
    let isDue = isNew() || failures.isRetryDue();
    while (isDue && mayWork()) {
      await giveBackEmptied();
      isDue = failures.bytes === 0 && isNew();
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
        if (!(await isGivenBack(dependencies, from, to))) failed.push(...step);
        steps.shift();
        await room.look();
      }
    } catch {
      failed.push(...steps.splice(0).flat());
    } finally {
      emptied.add([...failed, ...steps.flat()]);
      taken = [];
      failures.note(total(failed));
    }
  }

  async function giveBackForgotten(): Promise<void> {
    if (monotonicMs() < nextAllMs || !room.hasHalf) return;
    nextAllMs = monotonicMs() + allEveryMs;
    if ((await tables.bytesOf(firstKey, lastKey)) > mostBytesAtOnce) return;
    await tables.compact(firstKey, lastKey);
    await rewrite([keyAfter(firstKey)]);
    await room.look();
  }

  /** Does what is to be done now. Callers share it. It never rejects. */
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
    /** What it has taken from `emptied` to give it back. */
    get spans(): readonly EmptiedSpan[] {
      return taken;
    },
    run,
    /** Call it after each write: deletes are given back soon. */
    noteWrite(): void {
      if (!mayWork() || !isNew()) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        void run();
      }, gatheredMs);
    },
    /** Resolves when the step in progress has ended. No more begins. */
    async stop(): Promise<void> {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/**
 * Compacts the rows of a range, and gives whether their room is free. The rows after the ends do not exist, so that what is
 * written is small: LevelDB then merges all between them.
 */
async function isGivenBack(
  { tables, rewrite }: UrgentShrinkDependencies,
  from: string,
  to: string,
): Promise<boolean> {
  const mayBeSeen = !tables.olderReaders().areGone;
  const refused = tables.refusedWrites();
  await rewrite([...new Set([keyAfter(from), keyAfter(to)])]);
  await tables.compact(from, to);
  // LevelDB takes no write after it had no room to compact. Then it is reopened now.
  await rewrite([keyAfter(from)]);
  return !mayBeSeen && tables.refusedWrites() === refused;
}

/** What could not be given back, and waits in `emptied`, and when it is tried again. */
class Failures {
  bytes = 0;
  private retryMs = firstRetryMs;
  private nextMs = 0;

  constructor(private readonly monotonicMs: () => number) {}

  isRetryDue(): boolean {
    return this.bytes > 0 && this.monotonicMs() >= this.nextMs;
  }

  /** `bytes`: of the attempt that has ended. */
  note(bytes: number): void {
    this.bytes = bytes;
    this.nextMs = this.monotonicMs() + this.retryMs;
    this.retryMs = bytes > 0 ? Math.min(2 * this.retryMs, longestRetryMs) : firstRetryMs;
  }
}
