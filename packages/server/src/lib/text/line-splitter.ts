/** A line of a body. */
export interface Line {
  /** Counted from 1; blank lines count. */
  readonly number: number;
  /**
   * The line without its line end; undefined if the line is too long. It may be a view of the chunk that it came in.
   */
  readonly bytes: Buffer | undefined;
}

const newline = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const tab = 0x09;
const firstRestBytes = 64 * 1024;
/**
 * A chunk that uses less than this part of its buffer is copied. Otherwise a few small lines would keep a large buffer
 * in memory.
 */
const minFill = 1 / 2;

/**
 * Splits the chunks of a body into lines (docs/http.md#bulk-lines). A line ends with LF or CRLF; the last line may end
 * without it. Blank lines are skipped. The bytes of a line that is too long are discarded as they arrive.
 */
export class LineSplitter {
  private number = 1;
  /** The beginning of a line whose end has not arrived. */
  private rest = Buffer.alloc(0);
  private restBytes = 0;
  private isTooLong = false;

  constructor(private readonly maxLineBytes: number) {}

  /**
   * Gives the lines that end in this chunk. The chunk is split while the caller iterates, so the caller must iterate to
   * the end.
   */
  *split(given: Buffer): Generator<Line, void, undefined> {
    const isSparse = given.length < given.buffer.byteLength * minFill;
    const chunk = isSparse ? Buffer.from(given) : given;
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(newline, start);
      if (end === -1) break;
      const line = this.lineTo(chunk.subarray(start, end));
      if (line !== undefined) yield line;
      this.number++;
      start = end + 1;
    }
    this.keep(chunk.subarray(start));
  }

  /** Gives the last line if the body does not end with a line end. */
  *end(): Generator<Line, void, undefined> {
    const line = this.lineTo(Buffer.alloc(0));
    if (line !== undefined) yield line;
  }

  private lineTo(end: Buffer): Line | undefined {
    let bytes = end;
    if (this.restBytes > 0) {
      this.keep(end);
      bytes = Buffer.from(this.rest.subarray(0, this.restBytes));
    }
    const isTooLong = this.isTooLong || bytes.length > this.maxLineBytes + 1;
    this.restBytes = 0;
    this.isTooLong = false;
    if (this.rest.length > firstRestBytes) this.rest = Buffer.alloc(0);
    if (bytes[bytes.length - 1] === carriageReturn) bytes = bytes.subarray(0, -1);
    if (isTooLong || bytes.length > this.maxLineBytes) return { number: this.number, bytes: undefined };
    return isBlank(bytes) ? undefined : { number: this.number, bytes };
  }

  private keep(bytes: Buffer): void {
    if (this.isTooLong || bytes.length === 0) return;
    const size = this.restBytes + bytes.length;
    // One more byte may be the CR of a CRLF.
    if (size > this.maxLineBytes + 1) {
      this.isTooLong = true;
      this.restBytes = 0;
      this.rest = Buffer.alloc(0);
      return;
    }
    if (size > this.rest.length) {
      const larger = Buffer.allocUnsafeSlow(
        Math.min(Math.max(firstRestBytes, 2 * size), this.maxLineBytes + 1),
      );
      this.rest.copy(larger, 0, 0, this.restBytes);
      this.rest = larger;
    }
    bytes.copy(this.rest, this.restBytes);
    this.restBytes = size;
  }
}

function isBlank(bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte !== space && byte !== tab && byte !== carriageReturn) return false;
  }
  return true;
}
