import { compareUtf8 } from '../../lib/text/utf8-order.js';
import type { Operation } from '../shared/group-commit.js';
import type { EmptiedSpan } from './emptied-spans.js';

/**
 * Where rows were deleted or replaced. LevelDB keeps their bytes until it happens to compact them, which for a base
 * that nobody writes to any more is never.
 */
export interface EmptiedRows {
  /** Of all spans. */
  readonly bytes: number;
  /**
   * Notes what a batch deletes and replaces. Call it before the batch is written; `bytesOf` gives the size of the row that
   * is stored. `isExact`: looks at each row that is deleted.
   */
  note(
    operations: readonly Operation[],
    bytesOf: (key: string) => number | undefined,
    isExact?: boolean,
  ): void;
  add(spans: readonly EmptiedSpan[]): void;
  /** All spans, in the order of their keys. */
  spans(): readonly EmptiedSpan[];
  /** The same; they are forgotten here. */
  take(): readonly EmptiedSpan[];
}

/**
 * Every 16th row that is deleted stands for all of them, and every 64th when many small ones are: to look costs 2 to 25 µs,
 * and an upload over a file deletes a row, as does a put that changes what an index has.
 */
const leastDeletesPerSample = 16;
const mostDeletesPerSample = 64;
const smallRowBytes = 8 * 1024;
/**
 * Every 64th row that is put stands for all since the last one, and fewer when many are put: LevelDB merges a table early from which
 * some hundred rows were looked for in vain, so that a sample of every 64th doubled what a put costs its thread.
 */
const leastPutsPerSample = 64;
const mostPutsPerSample = 4096;
const sampleEveryMs = 50;
const maxSpans = 2048;

export function createEmptiedRows(monotonicMs = () => performance.now()): EmptiedRows {
  let spans: EmptiedSpan[] = [];
  let bytes = 0;
  let deletesPerSample = leastDeletesPerSample;
  let untilDelete = distance(deletesPerSample);
  let lastDeleteMs = Number.NEGATIVE_INFINITY;
  let putsPerSample = leastPutsPerSample;
  let untilPut = distance(putsPerSample);
  let lastPutMs = Number.NEGATIVE_INFINITY;
  /** The rows that were put since one was looked at, the first and the last of them. */
  let passed = 0;
  let firstPut = '';
  let lastPut = '';
  /** What the last row that was looked at replaced. */
  let replacedBytes = 0;

  function add(span: EmptiedSpan): void {
    spans.push(span);
    bytes += span.bytes;
    if (spans.length > maxSpans) spans = joined(sorted(spans));
  }

  /** Plans which row that is put is looked at next. */
  function planPut(): void {
    const now = monotonicMs();
    const isOften = now - lastPutMs < sampleEveryMs;
    lastPutMs = now;
    putsPerSample = isOften
      ? Math.min(2 * putsPerSample, mostPutsPerSample)
      : Math.max(putsPerSample / 2, leastPutsPerSample);
    untilPut = distance(putsPerSample);
  }

  /** Adds a row that was looked at, with those that it stands for, and plans which one is next. */
  function addDeletes(key: string, size: number | undefined): void {
    if (size !== undefined) addPoint(key, deletesPerSample * (key.length + size));
    const now = monotonicMs();
    const isOften = now - lastDeleteMs < sampleEveryMs && (size ?? 0) < smallRowBytes;
    lastDeleteMs = now;
    deletesPerSample = isOften ? Math.min(2 * deletesPerSample, mostDeletesPerSample) : leastDeletesPerSample;
    untilDelete = distance(deletesPerSample);
  }

  function addDeleted(key: string, size: number | undefined): void {
    if (size !== undefined) addPoint(key, key.length + size);
  }

  function addPoint(key: string, bytes: number): void {
    if (bytes > 0) add({ from: key, to: key, bytes });
  }

  function passPut(key: string): boolean {
    if (passed++ === 0) firstPut = key;
    lastPut = key;
    return --untilPut > 0;
  }

  /** Where rows were put since the last one that was looked at: half of them are at the first, half at this one. */
  function addPuts(size: number | undefined): void {
    replacedBytes = size === undefined ? 0 : lastPut.length + size;
    for (const key of [firstPut, lastPut]) addPoint(key, Math.ceil((passed * replacedBytes) / 2));
    passed = 0;
    planPut();
  }

  /** Those that no look stands for yet are like those before them. */
  function addPassed(): void {
    addPoint(lastPut, passed * replacedBytes);
    passed = 0;
  }

  return {
    get bytes() {
      return bytes;
    },

    note(operations, bytesOf, isExact = false) {
      for (const { type, key } of operations) {
        if (type !== 'del') {
          if (!passPut(key)) addPuts(bytesOf(key));
        } else if (isExact) addDeleted(key, bytesOf(key));
        else if (--untilDelete <= 0) addDeletes(key, bytesOf(key));
      }
    },

    add(more) {
      for (const span of more) add(span);
    },

    spans() {
      addPassed();
      return sorted(spans);
    },

    take() {
      addPassed();
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
