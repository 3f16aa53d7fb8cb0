/** Refused lines that wait for the client, in bytes of their text; a batch may add its own to that. */
const maxWaitingBytes = 64 * 1024;
/** A piece of the answer: small, so that a slow reader is seen to read. */
const pieceBytes = 8 * 1024;

/**
 * The answer of an import on its way to the client (docs/http.md#reading-and-writing-at-once). It has bounded room. A
 * client that reads slowly slows the import down. A client that sends all before it reads anything would block itself:
 * so when it has read nothing for `unreadMs`, further refused lines are counted and not reported until it reads.
 */
export class Outbox {
  /** Refused lines that were not reported. */
  unreported = 0;
  private waiting: Buffer[] = [];
  private waitingBytes = 0;
  private hasEnded = false;
  private failure: { readonly cause: unknown } | undefined;
  private isDropping = false;
  private onPut: (() => void) | undefined;
  private onTaken: (() => void) | undefined;

  constructor(private readonly unreadMs: number) {}

  /** Whether `room` has to be awaited before the next line. */
  get isFull(): boolean {
    return this.waitingBytes >= maxWaitingBytes && !this.isDropping;
  }

  /** The number and messages of a refused line. */
  refuse(line: number, errors: readonly string[]): void {
    if (this.isDropping) this.unreported++;
    else this.put(`${JSON.stringify({ line, errors })}\n`);
  }

  /** Resolves when there is room, or when the client has not read for so long that nothing waits for it. */
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

  /** The client has gone: nobody waits for room any more. */
  close(): void {
    this.isDropping = true;
    this.onTaken?.();
  }

  /** What the client reads, as long as the import goes on. Throws what it failed with. */
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

  private put(text: string): void {
    const bytes = Buffer.from(text);
    this.waiting.push(bytes);
    this.waitingBytes += bytes.length;
    this.onPut?.();
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
