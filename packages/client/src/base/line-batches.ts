import type { Source } from '../http/source.js';
import { joined } from '../lib/bytes.js';

/** Whole lines of NDJSON. */
export interface LineBatch {
  readonly body: Uint8Array;
  /** Number of lines in the batches before. */
  readonly linesBefore: number;
  /** Number of bytes of the source up to the end of the batch. */
  readonly end: number;
  /** Whether storing the lines twice has the same result as storing them once: each item has its own key. */
  hasKeys(): boolean;
}

/** The service reports up to this many refused lines of a request, however short they are (docs/http.md#import-items). */
export const maxLinesPerRequest = 10_000;
const pieceBytes = 1024 * 1024;
/** A longer line is refused (docs/http.md#bulk-lines). The rest of it is not sent. */
const maxLineBytes = 1200 * 1024;
const newline = 0x0a;
const byteOrderMark = [0xef, 0xbb, 0xbf];

/** Reads a source to its end, in batches of about a megabyte. Memory: two batches. */
export async function* readLineBatches(read: Source['read']): AsyncGenerator<LineBatch, void, undefined> {
  let rest: Uint8Array = new Uint8Array();
  let linesBefore = 0;
  let bytes = 0;
  /** Cuts whole lines into batches. `end` is where they end in the source. */
  function* batches(lines: Uint8Array, end: number): Generator<LineBatch, void, undefined> {
    let from = 0;
    let count = 0;
    for (let at = lines.indexOf(newline); at >= 0; at = lines.indexOf(newline, at + 1)) {
      if (++count < maxLinesPerRequest) continue;
      yield batch(lines.subarray(from, at + 1), end - lines.length + at + 1);
      linesBefore += count;
      from = at + 1;
      count = 0;
    }
    if (from < lines.length) yield batch(lines.subarray(from), end);
    linesBefore += count;
  }
  const batch = (body: Uint8Array, end: number): LineBatch => ({
    body,
    linesBefore,
    end,
    hasKeys: () => hasKeys(body),
  });
  for (;;) {
    const found = await read(pieceBytes);
    if (found === undefined) break;
    let piece = found instanceof Blob ? new Uint8Array(await found.arrayBuffer()) : found;
    const isMarked = bytes === 0 && byteOrderMark.every((byte, at) => piece[at] === byte);
    bytes += piece.length;
    if (isMarked) piece = piece.subarray(byteOrderMark.length);
    const end = piece.lastIndexOf(newline) + 1;
    if (end > 0) yield* batches(joined([rest, piece.subarray(0, end)]), bytes - piece.length + end);
    // Of a line that is too long, enough is kept to be too long.
    const keep = end > 0 ? piece : piece.subarray(0, maxLineBytes + 1 - rest.length);
    rest = end > 0 ? keep.subarray(end) : joined([rest, keep]);
  }
  if (rest.length > 0) yield* batches(rest, bytes);
}

function hasKeys(body: Uint8Array): boolean {
  return new TextDecoder()
    .decode(body)
    .split('\n')
    .every((line) => line.trim() === '' || !isWithoutKey(line));
}

/** A line that is no item is refused each time. */
function isWithoutKey(line: string): boolean {
  try {
    const item = JSON.parse(line) as { key?: unknown } | null;
    return item?.key == null;
  } catch {
    return false;
  }
}
