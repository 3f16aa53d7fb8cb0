import { carriageReturn, newline } from '../json-bytes.js';

/** A line of a file that is not blank. */
export interface Line {
  /** Counted from 1; blank lines count. */
  readonly number: number;
  /** The line without its line end; undefined if it is too long. */
  readonly bytes: Buffer | undefined;
}

const blank = new Set([0x20, 0x09, carriageReturn]);

/**
 * Splits a file into lines as the service does (docs/http.md#bulk-lines): a line ends with LF or CRLF, and the last one
 * may end without it. Memory: one line of at most `maxBytes`.
 */
export async function* linesOf(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<Line, void, undefined> {
  let number = 1;
  let parts: Buffer[] = [];
  let partBytes = 0;

  const keep = (bytes: Buffer) => {
    partBytes += bytes.length;
    // One more byte may be the CR of a CRLF. What is too long is only counted.
    if (partBytes > maxBytes + 1) parts = [];
    else if (bytes.length > 0) parts.push(bytes);
  };
  const finish = (): Buffer | undefined => {
    const isTooLong = partBytes > maxBytes + 1;
    const whole = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
    parts = [];
    partBytes = 0;
    if (isTooLong) return undefined;
    const line = whole.at(-1) === carriageReturn ? whole.subarray(0, -1) : whole;
    return line.length > maxBytes ? undefined : line;
  };

  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      keep(chunk.subarray(start, end));
      const bytes = finish();
      if (bytes === undefined || !isBlank(bytes)) yield { number, bytes };
      number++;
      start = end + 1;
    }
    keep(chunk.subarray(start));
  }
  const bytes = finish();
  if (bytes === undefined || !isBlank(bytes)) yield { number, bytes };
}

function isBlank(line: Buffer): boolean {
  return line.every((byte) => blank.has(byte));
}
