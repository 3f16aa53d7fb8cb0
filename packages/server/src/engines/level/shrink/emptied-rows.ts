import { compareUtf8 } from '../../../lib/text/utf8-order.js';
import type { Operation } from '../../shared/group-commit.js';
import type { EmptiedSpan } from './emptied-spans.js';

/**
 * Where rows were deleted or replaced. LevelDB keeps their bytes until it happens to compact them, which for a base
 * that nobody writes to any more is never.
 */
export type EmptiedRows = ReturnType<typeof createEmptiedRows>;

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

export function createEmptiedRows(monotonicMs = () => performance.now()) {
  let spans: EmptiedSpan[] = [];
  let bytes = 0;
  const deletes = new DeleteSamples(monotonicMs);
  const puts = new PutSamples(monotonicMs);

  function add(span: EmptiedSpan): void {
    if (span.bytes === 0) return;
    spans.push(span);
    bytes += span.bytes;
    if (spans.length > maxSpans) spans = joined(sorted(spans));
  }

  const addPoint = (key: string, bytes: number) => add({ from: key, to: key, bytes });

  return {
    /** Of all spans. */
    get bytes(): number {
      return bytes;
    },

    /**
     * Notes what a batch deletes and replaces. Call it before the batch is written; `bytesOf` gives the size of the row that
     * is stored. `isExact`: looks at each row that is deleted.
     */
    note(
      operations: readonly Operation[],
      bytesOf: (key: string) => number | undefined,
      isExact: boolean = false,
    ): void {
      for (const { type, key } of operations) {
        if (type !== 'del') {
          if (puts.isNext(key)) puts.look(bytesOf(key), addPoint);
        } else if (isExact) addPoint(key, rowBytes(key, bytesOf(key)));
        else if (deletes.isNext()) addPoint(key, deletes.look(key, bytesOf(key)));
      }
    },

    add(more: readonly EmptiedSpan[]): void {
      for (const span of more) add(span);
    },

    /** All spans, in the order of their keys. */
    spans(): readonly EmptiedSpan[] {
      puts.addPassed(addPoint);
      return sorted(spans);
    },

    /** The same; they are forgotten here. */
    take(): readonly EmptiedSpan[] {
      puts.addPassed(addPoint);
      const all = sorted(spans);
      spans = [];
      bytes = 0;
      return all;
    },
  };
}

/** The rows that were put since one was looked at stand for what they replaced. */
class PutSamples {
  private perSample = leastPutsPerSample;
  private until = distance(leastPutsPerSample);
  private lastMs = Number.NEGATIVE_INFINITY;
  /** The rows that were put since one was looked at, the first and the last of them. */
  private passed = 0;
  private first = '';
  private last = '';
  /** What the last row that was looked at replaced. */
  private replacedBytes = 0;

  constructor(private readonly monotonicMs: () => number) {}

  /** Whether this row is to be looked at. */
  isNext(key: string): boolean {
    if (this.passed++ === 0) this.first = key;
    this.last = key;
    return --this.until <= 0;
  }

  /** Adds the rows since the last one that was looked at: half of them are at the first, half at this one. */
  look(size: number | undefined, add: AddPoint): void {
    this.replacedBytes = rowBytes(this.last, size);
    for (const key of [this.first, this.last]) add(key, Math.ceil((this.passed * this.replacedBytes) / 2));
    this.passed = 0;
    const now = this.monotonicMs();
    const isOften = now - this.lastMs < sampleEveryMs;
    this.lastMs = now;
    this.perSample = isOften
      ? Math.min(2 * this.perSample, mostPutsPerSample)
      : Math.max(this.perSample / 2, leastPutsPerSample);
    this.until = distance(this.perSample);
  }

  /** Adds those that no look stands for yet: they are like those before them. */
  addPassed(add: AddPoint): void {
    add(this.last, this.passed * this.replacedBytes);
    this.passed = 0;
  }
}

type AddPoint = (key: string, bytes: number) => void;

/** Which of the rows that are deleted stand for all of them. */
class DeleteSamples {
  private perSample = leastDeletesPerSample;
  private until = distance(leastDeletesPerSample);
  private lastMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly monotonicMs: () => number) {}

  /** Whether the next row is to be looked at. */
  isNext(): boolean {
    return --this.until <= 0;
  }

  /** The bytes of this row and of those that it stands for. It plans which one is next. */
  look(key: string, size: number | undefined): number {
    const bytes = this.perSample * rowBytes(key, size);
    const now = this.monotonicMs();
    const isOften = now - this.lastMs < sampleEveryMs && (size ?? 0) < smallRowBytes;
    this.lastMs = now;
    this.perSample = isOften ? Math.min(2 * this.perSample, mostDeletesPerSample) : leastDeletesPerSample;
    this.until = distance(this.perSample);
    return bytes;
  }
}

/** What a row took; nothing if there was none. */
function rowBytes(key: string, size: number | undefined): number {
  return size === undefined ? 0 : key.length + size;
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
