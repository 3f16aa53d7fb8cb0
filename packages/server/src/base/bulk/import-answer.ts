import { errorsOf, type Problem } from '../../request-error.js';

/**
 * The number of bytes of refused lines that may wait for the client. A batch may exceed it by its own refused lines.
 */
const maxWaitingBytes = 64 * 1024;
/** The number of refused lines that are reported however long the answer is (docs/http.md#import-items). */
const alwaysReported = 10_000;
/** The size of the chunks of the answer in bytes. Chunks are small, so that even a slow client shows that it reads. */
const pieceBytes = 8 * 1024;

/**
 * The answer of an import on its way to the client (docs/http.md#reading-and-writing-at-once). Its size is bounded, so
 * a client that reads slowly slows the import down. A client that sends everything before it reads would block itself.
 * Therefore, when the client has read nothing for `unreadMs` milliseconds, further refused lines are only counted until
 * it reads. So are those that would make a long answer longer than the body.
 */
export class ImportAnswer {
  /** The number of refused lines that were not reported. */
  unreported = 0;
  /** The size of the body so far. */
  private bodyBytes = 0;
  private reported = 0;
  private reportedBytes = 0;
  private waiting: Buffer[] = [];
  private waitingBytes = 0;
  private hasEnded = false;
  private failure: { readonly cause: unknown } | undefined;
  private isDropping = false;
  private onPut: (() => void) | undefined;
  private onTaken: (() => void) | undefined;

  constructor(private readonly unreadMs: number) {}

  /** Whether the import has to wait for `room` before the next line. */
  get isFull(): boolean {
    return this.waitingBytes >= maxWaitingBytes && !this.isDropping;
  }

  /** Notes that so many bytes of the body have come: the answer may become as long as the body. */
  allow(bytes: number): void {
    this.bodyBytes += bytes;
  }

  /** Adds a refused line: its number, and why. */
  refuse(line: number, problems: readonly Problem[]): void {
    if (this.isDropping || this.isLong) {
      this.unreported++;
      return;
    }
    this.reported++;
    this.reportedBytes += this.put(`${JSON.stringify({ line, ...errorsOf(problems) })}\n`);
  }

  private get isLong(): boolean {
    return this.reported >= alwaysReported && this.reportedBytes > this.bodyBytes;
  }

  /** Resolves when there is room, or when the client has read nothing for `unreadMs` milliseconds. */
  async room(): Promise<void> {
    while (this.isFull) {
      let timer: NodeJS.Timeout | undefined;
      const isTaken = await new Promise<boolean>((resolve) => {
        this.onTaken = () => resolve(true);
        timer = setTimeout(() => resolve(false), this.unreadMs);
      });
      clearTimeout(timer);
      this.onTaken = undefined;
      if (!isTaken) this.isDropping = true;
    }
  }

  end(lastLine: string): void {
    this.put(`${lastLine}\n`);
    this.hasEnded = true;
  }

  fail(cause: unknown): void {
    this.failure = { cause };
    this.hasEnded = true;
    this.onPut?.();
  }

  /** Ends the wait for room, because the client has closed the connection. */
  close(): void {
    this.isDropping = true;
    this.onTaken?.();
  }

  /** Gives the chunks of the answer until the import ends. Throws the error with which the import failed. */
  async *pieces(): AsyncGenerator<Buffer, void, undefined> {
    for (;;) {
      while (this.waiting.length > 0) yield this.take();
      if (this.failure !== undefined) throw this.failure.cause;
      if (this.hasEnded) return;
      await new Promise<void>((resolve) => {
        this.onPut = resolve;
      });
      this.onPut = undefined;
    }
  }

  /** Gives the size of the text in bytes. */
  private put(text: string): number {
    const bytes = Buffer.from(text);
    this.waiting.push(bytes);
    this.waitingBytes += bytes.length;
    this.onPut?.();
    return bytes.length;
  }

  private take(): Buffer {
    let count = 0;
    let bytes = 0;
    while (count < this.waiting.length && bytes < pieceBytes) bytes += this.waiting[count++]?.length ?? 0;
    const piece = Buffer.concat(this.waiting.splice(0, count));
    this.waitingBytes -= piece.length;
    this.isDropping = false;
    this.onTaken?.();
    return piece;
  }
}
