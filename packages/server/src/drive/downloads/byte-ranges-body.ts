import type { Range } from '../../http/answers/ranges.js';
import { randomId } from '../../lib/random-id.js';
import type { OpenFile } from './open-file.js';

/** Several ranges as one body, `multipart/byteranges` (RFC 9110, 14.6). */
export function byteRangesBody(file: OpenFile, contentType: string, ranges: readonly Range[]) {
  // The boundary is random, so that no file can contain it on purpose.
  const boundary = randomId();
  const parts = ranges.map((range) => ({ range, head: Buffer.from(headOf(range)) }));
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  const sizeBytes = parts.reduce(
    (sum, { range, head }) => sum + head.length + range.end - range.start + 1,
    tail.length,
  );

  function headOf({ start, end }: Range): string {
    return [
      `\r\n--${boundary}`,
      `Content-Type: ${contentType}`,
      `Content-Range: bytes ${start}-${end}/${file.row.sizeBytes}`,
      '\r\n',
    ].join('\r\n');
  }

  return {
    contentType: `multipart/byteranges; boundary=${boundary}`,
    sizeBytes,
    async *read(): AsyncGenerator<Buffer> {
      for (const { range, head } of parts) {
        yield head;
        yield* file.read(range);
      }
      yield tail;
    },
  };
}
