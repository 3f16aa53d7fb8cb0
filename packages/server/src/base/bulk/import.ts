import type { Steps } from '../../lib/concurrency/time-slices.js';
import { type Line, LineSplitter } from '../../lib/text/line-splitter.js';
import { type Problem, RequestError } from '../../request-error.js';
import { scanLine } from '../items/canonical-items.js';
import type { Item } from '../items/item.js';
import { parseLine } from '../items/item-body.js';
import { maxLineBytes } from '../limits.js';
import { ImportAnswer } from './import-answer.js';
import type { RefusedItem } from './store-batch.js';

/** Stores a batch atomically, its items in their order. Gives the items that were not stored. */
export type StoreBatch = (items: readonly Item[]) => Promise<readonly RefusedItem[]>;

export interface ImportDependencies {
  readonly storeBatch: StoreBatch;
  /** The maximum number of items of a batch. */
  readonly maxBatchItems: number;
  /** The item as it is to be stored. Throws a `RequestError` if it may not be: it may be beyond what the key allows. */
  readonly toStored: (item: Item) => Item;
  /** Reads lines in slices. */
  readonly run: <T>(steps: Steps<T>) => T | Promise<T>;
}

/** The number of bytes of the body at which a batch ends. */
const maxBatchBytes = 1024 * 1024;
/**
 * The memory of an import in bytes, as the memory budget counts it. It holds one batch that is being stored, one that
 * is being collected, and one line. At least half of a batch's memory is items.
 */
export const importBytes = 4 * 1024 * 1024;
const unreadMs = 3000;
/** Lines are read in one step until they have this many bytes together. */
const bytesPerStep = 16 * 1024;
/** What a line counts in addition to its bytes: a refused one of two bytes takes some 15 µs, and a step has thousands of them. */
const bytesPerLine = 256;

/**
 * Stores the items of an NDJSON body, and gives the answer while it reads the body (docs/http.md#import-items): a line
 * for each refused item, then a line with the totals. If the body or the store fails, it throws that error, and the
 * items stored before stay.
 */
export async function* importItems(
  body: AsyncIterable<Buffer>,
  dependencies: ImportDependencies,
): AsyncGenerator<Buffer, void, undefined> {
  const answer = new ImportAnswer(unreadMs);
  new Import(dependencies, answer).run(body).then(
    (sums) => answer.end(JSON.stringify(sums)),
    (cause) => answer.fail(cause),
  );
  try {
    yield* answer.pieces();
  } finally {
    answer.close();
  }
}

interface Batch {
  readonly items: Item[];
  /** The line number of each item. */
  readonly lines: number[];
  bytes: number;
}

/** Collects the next batch while the previous one is being stored. */
class Import {
  private batch = newBatch();
  private storing: Promise<void> = Promise.resolve();
  private isStoring = false;
  private failure: { readonly cause: unknown } | undefined;
  private stored = 0;
  private failed = 0;

  constructor(
    private readonly dependencies: ImportDependencies,
    private readonly answer: ImportAnswer,
  ) {}

  /** Resolves to the last line of the answer. */
  async run(body: AsyncIterable<Buffer>) {
    const splitter = new LineSplitter(maxLineBytes);
    try {
      for await (const chunk of body) {
        this.answer.allow(chunk.length);
        await this.takeAll(splitter.split(chunk));
        // A slow client should not have to fill a batch before its items are stored.
        if (!this.isStoring && this.batch.items.length > 0) this.store();
      }
      await this.takeAll(splitter.end());
      await this.storing;
      this.store();
    } finally {
      await this.storing;
    }
    if (this.failure !== undefined) throw this.failure.cause;
    const { stored, failed } = this;
    const { unreported } = this.answer;
    return unreported === 0 ? { stored, failed } : { stored, failed, unreported };
  }

  private async takeAll(lines: Iterator<Line>): Promise<void> {
    while (await this.dependencies.run(this.gather(lines))) {
      await this.answer.room();
      if (!this.isBatchFull) continue;
      await this.storing;
      if (this.failure !== undefined) throw this.failure.cause;
      this.store();
    }
  }

  private get isBatchFull(): boolean {
    return this.batch.items.length >= this.dependencies.maxBatchItems || this.batch.bytes >= maxBatchBytes;
  }

  /** Gives true if it stops before the last line because the batch or the answer is full. */
  private *gather(lines: Iterator<Line>): Steps<boolean> {
    let bytes = 0;
    for (;;) {
      const { value: line, done } = lines.next();
      if (done) {
        // A chunk of empty lines has no line to pause at, and the next chunk may be there already.
        yield;
        return false;
      }
      const size = line.bytes?.length ?? 0;
      bytes += size + bytesPerLine;
      if (bytes > bytesPerStep) {
        bytes = 0;
        yield;
      }
      // Refused lines count, too: their bytes may share a buffer with lines that are kept.
      this.batch.bytes += size;
      if (!this.takeCanonical(line)) yield* this.take(line);
      if (this.isBatchFull || this.answer.isFull) return true;
    }
  }

  /** Takes a line that holds an item in the form in which it is stored: in one step, because most lines are such. */
  private takeCanonical({ number, bytes }: Line): boolean {
    const item = bytes === undefined ? undefined : scanLine(bytes);
    if (item === undefined) return false;
    this.collect(number, item);
    return true;
  }

  private collect(number: number, item: Item): void {
    try {
      this.batch.items.push(this.dependencies.toStored(item));
      this.batch.lines.push(number);
    } catch (cause) {
      this.refuseFor(number, cause);
    }
  }

  private *take({ number, bytes }: Line): Steps<void> {
    if (bytes === undefined) {
      const message = `line: has more than ${maxLineBytes} bytes`;
      this.refuse(number, [{ code: 'too_large', message }]);
      return;
    }
    try {
      this.collect(number, yield* parseLine(bytes));
    } catch (cause) {
      this.refuseFor(number, cause);
    }
  }

  /** Refuses a line for the rule that it breaks. Throws any other error. */
  private refuseFor(line: number, cause: unknown): void {
    if (!(cause instanceof RequestError)) throw cause;
    this.refuse(line, cause.problems);
  }

  private refuse(line: number, problems: readonly Problem[]): void {
    this.failed++;
    this.answer.refuse(line, problems);
  }

  /** Begins to store the collected batch. The batch before it must be stored already. */
  private store(): void {
    const { items, lines } = this.batch;
    this.batch = newBatch();
    if (items.length === 0 || this.failure !== undefined) return;
    this.isStoring = true;
    this.storing = this.dependencies
      .storeBatch(items)
      .then(
        (refused) => {
          this.stored += items.length - refused.length;
          for (const { index, error } of refused) this.refuse(lines[index] as number, error.problems);
        },
        (cause) => {
          this.failure = { cause };
        },
      )
      .finally(() => {
        this.isStoring = false;
      });
  }
}

function newBatch(): Batch {
  return { items: [], lines: [], bytes: 0 };
}
