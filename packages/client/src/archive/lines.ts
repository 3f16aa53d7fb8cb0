import { carriageReturn, newline } from './json-bytes.js';

/** A line of a file that is not blank. */
export interface Line {
  /** Counted from 1; blank lines count. */
  readonly number: number;
  /** The line without its line end; undefined if it is too long. It may be a view of the chunk that it came in. */
  readonly bytes: Buffer | undefined;
}

const space = 0x20;
const tab = 0x09;

/**
 * Splits a file into lines as the service does (docs/http.md#bulk-lines): a line ends with LF or CRLF, and the last one
 * may end without it. Memory: one line of at most `maxBytes`.
 */
export function createLineSplitter(maxBytes: number) {
  let number = 1;
  /** The beginning of a line whose end has not been read. */
  let parts: Buffer[] = [];
  let partBytes = 0;

  function keep(bytes: Buffer): void {
    partBytes += bytes.length;
    // One more byte may be the CR of a CRLF. What is too long is only counted.
    if (partBytes > maxBytes + 1) parts = [];
    else if (bytes.length > 0) parts.push(bytes);
  }

  /** The line that ends with these bytes, or undefined for a blank one. */
  function finish(last: Buffer): Line | undefined {
    let bytes = last;
    if (partBytes > 0) {
      keep(last);
      bytes = Buffer.concat(parts);
    }
    const isTooLong = Math.max(partBytes, last.length) > maxBytes + 1;
    parts = [];
    partBytes = 0;
    if (isTooLong) return { number, bytes: undefined };
    if (bytes[bytes.length - 1] === carriageReturn) bytes = bytes.subarray(0, -1);
    if (isBlank(bytes)) return undefined;
    return { number, bytes: bytes.length > maxBytes ? undefined : bytes };
  }

  return {
    /** The lines that end in this chunk. The caller must iterate to the end. */
    *split(chunk: Buffer) {
      let start = 0;
      for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
        const line = finish(chunk.subarray(start, end));
        if (line !== undefined) yield line;
        number++;
        start = end + 1;
      }
      keep(chunk.subarray(start));
    },
    /** The last line, if the file does not end with a line end. */
    *end() {
      const line = finish(Buffer.alloc(0));
      if (line !== undefined) yield line;
    },
  };
}

function isBlank(line: Buffer): boolean {
  for (let at = 0; at < line.length; at++) {
    const byte = line[at];
    if (byte !== space && byte !== tab && byte !== carriageReturn) return false;
  }
  return true;
}
