import type { ShrinkPace } from '../../item-store.js';
import type { OlderReaders } from '../database/readers.js';
import type { Tables } from '../database/synced-database.js';
import { type EmptiedSpan, parted, readEmptied, total, writeEmptied } from './emptied-spans.js';
import { createUrgentShrink, type UrgentShrinkDependencies } from './urgent-shrink.js';

/** Fewer bytes are left to LevelDB. */
const worthBytes = 4 * 1024 * 1024;
/**
 * What one step may free. It reads and writes at most as much again, so LevelDB's thread is busy with it for some 0.3 s.
 */
const stepBytes = 16 * 1024 * 1024;
/** What a kill may make it forget before a step begins, in addition to `worthBytes`: a share of what is remembered. */
const unsavedShare = 1 / 4;
/** While more is emptied than this from one look to the next, LevelDB merges by itself what is written. */
const busyBytes = 1024 * 1024;
/** Rows that are replaced all the time must not keep others from being given back. */
const mostBusyLooks = 300;

export type Shrinker = Awaited<ReturnType<typeof createShrinker>>;

export interface ShrinkerDependencies extends UrgentShrinkDependencies {
  readonly folder: string;
}

/**
 * Compacts the ranges in which at least as many bytes were deleted or replaced as are left, so that each deleted byte
 * causes at most about one that is written. A row that an open reader may still see would only be moved: so it begins
 * when all readers have ended that were open when the rows were counted, also a backup and a check of all rows.
 */
export async function createShrinker(dependencies: ShrinkerDependencies) {
  const { folder, tables, emptied, isHeldBack, room } = dependencies;
  emptied.add(await readEmptied(folder));
  const urgent = createUrgentShrink(dependencies);
  let savedBytes = emptied.bytes;
  /** What was left where it was not worth it. */
  let leftBytes = 0;
  let waiting: { readonly spans: readonly EmptiedSpan[]; readonly readers: OlderReaders } | undefined;

  let waitingBytes = 0;
  let seenBytes = emptied.bytes;
  let busyLooks = 0;
  let saving: Promise<void> = Promise.resolve();

  function save(): Promise<void> {
    saving = saving.catch(() => {}).then(saveNow);
    return saving;
  }

  async function saveNow(): Promise<void> {
    const spans = [...(waiting?.spans ?? []), ...urgent.spans, ...emptied.spans()];
    const bytes = total(spans);
    if (bytes === 0 && savedBytes === 0) return;
    savedBytes = bytes;
    await writeEmptied(folder, spans);
  }

  /** What was waiting, or this of it, is remembered for later. */
  function stopWaiting(spans = waiting?.spans ?? []): void {
    emptied.add(spans);
    waiting = undefined;
    waitingBytes = 0;
  }

  /** Whether much is being replaced or deleted, so that it is better to wait. */
  function isBusy(): boolean {
    const grown = emptied.bytes - seenBytes;
    seenBytes = emptied.bytes;
    busyLooks = grown > busyBytes && busyLooks < mostBusyLooks ? busyLooks + 1 : 0;
    return busyLooks > 0;
  }

  return {
    /** Gives back what deleted and replaced rows take, where that is worth it. Once at a time. */
    async run(pace: ShrinkPace): Promise<void> {
      if (room.isShort) {
        stopWaiting();
        return await urgent.run();
      }
      if (waiting === undefined) {
        const isWait = pace.mayWait === true && isBusy();
        if (emptied.bytes < leftBytes + worthBytes || isWait || isHeldBack()) return;
        waitingBytes = emptied.bytes;
        waiting = { spans: emptied.take(), readers: tables.olderReaders() };
        await save();
      }
      if (!waiting.readers.areGone) return;
      const left: EmptiedSpan[] = [];
      const steps = parted(waiting.spans, stepBytes);
      try {
        await compactSteps(dependencies, steps, left, pace);
      } finally {
        leftBytes = total(left);
        stopWaiting([...left, ...steps.flat()]);
      }
      await save();
    },

    /** Call it after each write: what is left to do is remembered for the next start, also while a step rests. */
    noteWrite(): void {
      urgent.noteWrite();
      const mayForget = worthBytes + (waiting === undefined ? savedBytes * unsavedShare : 0);
      if (waitingBytes + emptied.bytes >= savedBytes + mayForget) {
        savedBytes = waitingBytes + emptied.bytes;
        void save().catch(() => {});
      }
    },

    /** Remembers it all. */
    async close(): Promise<void> {
      await urgent.stop();
      await save();
    },
  };
}

/**
 * Takes each step from `steps` that it has compacted. What is not worth it goes to `left`. It ends early when nothing may
 * be compacted any more.
 */
async function compactSteps(
  { tables, isHeldBack, room, rewrite }: ShrinkerDependencies,
  steps: EmptiedSpan[][],
  left: EmptiedSpan[],
  { mayContinue, rest }: ShrinkPace,
): Promise<void> {
  for (let step = steps[0]; step !== undefined; step = steps[0]) {
    const leftOfStep: EmptiedSpan[] = [];
    for await (const { from, to } of worthwhile(tables, step, leftOfStep)) {
      if (mayContinue?.() === false || isHeldBack() || room.isShort) return;
      // The tables at the ends of the range then overlap all that are between, and LevelDB merges them all. It
      // would leave out those that nothing overlaps.
      await rewrite(from === to ? [from] : [from, to]);
      await tables.compact(from, to);
      await rest?.();
    }
    left.push(...leftOfStep);
    steps.shift();
  }
}

/** The parts of the spans that are worth it; the rest goes to `left`. */
async function* worthwhile(
  tables: Tables,
  spans: readonly EmptiedSpan[],
  left: EmptiedSpan[],
): AsyncGenerator<Pick<EmptiedSpan, 'from' | 'to'>> {
  const [first, last] = [spans[0], spans.at(-1)];
  const bytes = total(spans);
  if (first === undefined || last === undefined || bytes < worthBytes) {
    left.push(...spans);
    return;
  }
  const { from } = first;
  const { to } = last;
  const storedBytes = await tables.bytesOf(from, to);
  if (storedBytes <= 2 * bytes) {
    // What is in no table yet takes no more than LevelDB's memory.
    if (storedBytes > 0) yield { from, to };
  } else if (spans.length === 1) {
    left.push(first);
  } else {
    for (const half of halves(spans)) yield* worthwhile(tables, half, left);
  }
}

/** Two or more consecutive spans in two parts of about as many bytes. */
function halves(spans: readonly EmptiedSpan[]): [EmptiedSpan[], EmptiedSpan[]] {
  const half = total(spans) / 2;
  let at = 0;
  for (let bytes = 0; at < spans.length - 1 && (at === 0 || bytes < half); at++)
    bytes += (spans[at] as EmptiedSpan).bytes;
  return [spans.slice(0, at), spans.slice(at)];
}
