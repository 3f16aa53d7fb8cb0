import { runInSlices, type Steps } from '../../lib/time-slices.js';
import { RequestError } from '../../request-error.js';
import type { Item } from '../item.js';
import { readLine } from '../item-body.js';
import { maxLineBytes } from '../limits.js';
import { type Line, LineSplitter } from './line-splitter.js';
import { Outbox } from './outbox.js';

/** Stores a batch atomically, one item after the other, and gives the indexes of those whose key exists. */
export type StoreBatch = (items: readonly Item[]) => Promise<readonly number[]>;

/** A batch ends at so many items, or so many bytes of the body. */
const maxBatchItems = 1000;
const maxBatchBytes = 512 * 1024;
/**
 * What an import has in memory, for the budget: a batch that is being stored and one that is gathered, each with memory
 * of which a quarter is used at least, and a line.
 */
export const importBytes = 4 * 1024 * 1024;
const unreadMs = 3000;
/** Short lines are read in one step. */
const bytesPerStep = 16 * 1024;

/**
 * Stores the items of an NDJSON body, and gives the answer while the body is read (docs/http.md#import-items): a line
 * for every refused one, then the sums. Throws what the body or the store fails with; what was stored stays.
 */
export async function* importItems(
  body: AsyncIterable<Buffer>,
  storeBatch: StoreBatch,
): AsyncGenerator<Buffer, void, undefined> {
  const outbox = new Outbox(unreadMs);
  new Import(storeBatch, outbox).run(body).then(
    (sums) => outbox.end(JSON.stringify(sums)),
    (cause) => outbox.fail(cause),
  );
  try {
    yield* outbox.pieces();
  } finally {
    outbox.close();
  }
}

interface Batch {
  readonly items: Item[];
  /** The number of the line of each item. */
  readonly lines: number[];
  bytes: number;
}

/** While a batch is being stored, the next one is gathered. */
class Import {
  private batch = newBatch();
  private storing: Promise<void> = Promise.resolve();
  private isStoring = false;
  private failure: { readonly cause: unknown } | undefined;
  private stored = 0;
  private failed = 0;

  constructor(
    private readonly storeBatch: StoreBatch,
    private readonly outbox: Outbox,
  ) {}

  /** Resolves to the last line of the answer. */
  async run(body: AsyncIterable<Buffer>) {
    const splitter = new LineSplitter(maxLineBytes);
    try {
      for await (const chunk of body) {
        await this.takeAll(splitter.split(chunk));
        // Who sends little at a time need not fill a batch to have it stored.
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
    const { unreported } = this.outbox;
    return unreported === 0 ? { stored, failed } : { stored, failed, unreported };
  }

  private async takeAll(lines: Iterator<Line>): Promise<void> {
    while (await runInSlices(this.gather(lines))) {
      await this.outbox.room();
      if (!this.isBatchFull) continue;
      await this.storing;
      if (this.failure !== undefined) throw this.failure.cause;
      this.store();
    }
  }

  private get isBatchFull(): boolean {
    return this.batch.items.length >= maxBatchItems || this.batch.bytes >= maxBatchBytes;
  }

  /** True if it stops before the last of the lines, because the batch or the outbox is full. */
  private *gather(lines: Iterator<Line>): Steps<boolean> {
    let bytes = 0;
    for (;;) {
      const { value: line, done } = lines.next();
      if (done) return false;
      const size = line.bytes?.length ?? 0;
      bytes += size;
      if (bytes > bytesPerStep) {
        bytes = 0;
        yield;
      }
      // Also of lines that are refused: their bytes may be in one buffer with those that are kept.
      this.batch.bytes += size;
      yield* this.take(line);
      if (this.isBatchFull || this.outbox.isFull) return true;
    }
  }

  private *take({ number, bytes }: Line): Steps<void> {
    if (bytes === undefined) {
      this.refuse(number, [`line: has more than ${maxLineBytes} bytes`]);
      return;
    }
    try {
      this.batch.items.push(yield* readLine(bytes));
      this.batch.lines.push(number);
    } catch (cause) {
      if (!(cause instanceof RequestError)) throw cause;
      this.refuse(number, cause.messages);
    }
  }

  private refuse(line: number, errors: readonly string[]): void {
    this.failed++;
    this.outbox.refuse(line, errors);
  }

  /** Begins to store what was gathered. The batch before it must be stored. */
  private store(): void {
    const { items, lines } = this.batch;
    this.batch = newBatch();
    if (items.length === 0 || this.failure !== undefined) return;
    this.isStoring = true;
    this.storing = this.storeBatch(items)
      .then(
        (existing) => {
          this.stored += items.length - existing.length;
          for (const index of existing) this.refuse(lines[index] as number, ['Key already exists']);
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
