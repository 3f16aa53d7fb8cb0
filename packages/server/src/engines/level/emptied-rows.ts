import { compareUtf8 } from '../../lib/text/utf8-order.js';
import type { Operation } from '../shared/group-commit.js';

/** A range of LevelDB's keys, both included, and about how many bytes of rows were deleted or replaced in it. */
export interface EmptiedSpan {
  readonly from: string;
  readonly to: string;
  readonly bytes: number;
}

/**
 * Where rows were deleted or replaced. LevelDB keeps their bytes until it happens to compact them, which for a base
 * that nobody writes to any more is never.
 */
export interface EmptiedRows {
  /** Of all spans. */
  readonly bytes: number;
  /** Notes what a batch deletes and replaces. Call it before the batch is written; `bytesOf` gives the size of the row that is stored. */
  note(operations: readonly Operation[], bytesOf: (key: string) => number | undefined): void;
  add(spans: readonly EmptiedSpan[]): void;
  /** All spans, in the order of their keys. */
  spans(): readonly EmptiedSpan[];
  /** The same; they are forgotten here. */
  take(): readonly EmptiedSpan[];
}

/** Every 16th row that is deleted stands for all of them: to look costs 2 to 4 µs. */
const deletesPerSample = 16;
/**
 * Every 64th row that is put stands for all of them, and fewer when many are put: LevelDB merges a table early from which
 * some hundred rows were looked for in vain, so that a sample of every 64th doubled what a put costs its thread.
 */
const leastPutsPerSample = 64;
const mostPutsPerSample = 512;
const putSampleEveryMs = 50;
const maxSpans = 2048;

export function createEmptiedRows(monotonicMs = () => performance.now()): EmptiedRows {
  let spans: EmptiedSpan[] = [];
  let bytes = 0;
  let untilDelete = distance(deletesPerSample);
  let putsPerSample = leastPutsPerSample;
  let untilPut = distance(putsPerSample);
  let lastPutMs = Number.NEGATIVE_INFINITY;

  function add(span: EmptiedSpan): void {
    spans.push(span);
    bytes += span.bytes;
    if (spans.length > maxSpans) spans = joined(sorted(spans));
  }

  /** How many rows that are put the present sample stands for. It plans the next one. */
  function nextPut(): number {
    const rows = putsPerSample;
    const now = monotonicMs();
    const isOften = now - lastPutMs < putSampleEveryMs;
    lastPutMs = now;
    putsPerSample = isOften
      ? Math.min(2 * putsPerSample, mostPutsPerSample)
      : Math.max(putsPerSample / 2, leastPutsPerSample);
    untilPut = distance(putsPerSample);
    return rows;
  }

  return {
    get bytes() {
      return bytes;
    },

    note(operations, bytesOf) {
      for (const { type, key } of operations) {
        const isDelete = type === 'del';
        if (isDelete ? --untilDelete > 0 : --untilPut > 0) continue;
        const rows = isDelete ? deletesPerSample : nextPut();
        if (isDelete) untilDelete = distance(deletesPerSample);
        const before = bytesOf(key);
        if (before === undefined) continue;
        add({ from: key, to: key, bytes: rows * (key.length + before) });
      }
    },

    add(more) {
      for (const span of more) add(span);
    },

    spans: () => sorted(spans),

    take() {
      const all = sorted(spans);
      spans = [];
      bytes = 0;
      return all;
    },
  };
}

/** How many operations to pass: at random, because those of a request repeat, such as a name and its content. */
function distance(mean: number): number {
  return 1 + Math.floor(Math.random() * (2 * mean - 1));
}

function sorted(spans: readonly EmptiedSpan[]): EmptiedSpan[] {
  return spans.toSorted((a, b) => compareUtf8(a.from, b.from));
}

/** Makes one span of each two neighbours. */
function joined(spans: readonly EmptiedSpan[]): EmptiedSpan[] {
  const pairs: EmptiedSpan[] = [];
  for (let at = 0; at < spans.length; at += 2) {
    const [first, second = first] = spans.slice(at, at + 2) as [EmptiedSpan, EmptiedSpan?];
    const to = compareUtf8(first.to, second.to) > 0 ? first.to : second.to;
    pairs.push(first === second ? first : { from: first.from, to, bytes: first.bytes + second.bytes });
  }
  return pairs;
}
