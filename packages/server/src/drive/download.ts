import { errors } from '../http/answer.js';
import type { Answer, RequestHeaders } from '../http/call.js';
import { checkConditions, rangeApplies } from '../http/conditional.js';
import { parseRanges, type Range } from '../http/ranges.js';
import { RequestError, rangeNotSatisfiable } from '../request-error.js';
import { byteRangesBody } from './byte-ranges-body.js';
import type { OpenFile } from './open-file.js';
import { etagOf } from './rows.js';

/**
 * The answer of Download File (docs/http.md#download-file): the file, its ranges, or the status that the conditions
 * require. The answer owns `file`, and releases it when the body has been sent or will not be sent.
 */
export function downloadAnswer(file: OpenFile, headers: RequestHeaders): Answer {
  try {
    const answer = answerOf(file, headers);
    if (typeof answer.body === 'string' || Buffer.isBuffer(answer.body)) file.release();
    return answer;
  } catch (cause) {
    file.release();
    throw cause;
  }
}

function answerOf(file: OpenFile, headers: RequestHeaders): Answer {
  const etag = etagOf(file);
  const lastModified = new Date(file.modifiedMs).toUTCString();
  const validators = { etag, lastModified };
  const validation = ['Accept-Ranges', 'bytes', 'ETag', etag, 'Last-Modified', lastModified];
  // The client may keep a copy, but must revalidate it for each use (docs/http.md#caches). The answer depends on the
  // key and on the origin of the page.
  const caching = ['Cache-Control', 'private, no-cache', 'Vary', 'X-API-Key, Origin'];
  const about = [...validation, ...caching];
  const condition = checkConditions(headers, validators);
  if (condition === 'not modified') return { status: 304, headers: about, body: '' };
  if (condition === 'failed')
    throw new RequestError(412, ['The file is not the one that the request is about']);

  const ranges = rangeApplies(headers, validators) ? parseRanges(headers.range, file.sizeBytes) : 'whole';
  if (ranges === 'unsatisfiable') return unsatisfiable(file.sizeBytes);
  if (ranges === 'whole') return whole(file, about);
  const [first, ...others] = ranges;
  return first !== undefined && others.length === 0
    ? single(file, first, about)
    : several(file, ranges, about);
}

function whole(file: OpenFile, about: readonly string[]): Answer {
  const headers = [...typed(file.contentType), ...about];
  if (file.bytes !== undefined) return { status: 200, headers, body: file.bytes };
  return streamed(200, headers, file, file.sizeBytes, () => file.read({ start: 0, end: file.sizeBytes - 1 }));
}

function single(file: OpenFile, range: Range, about: readonly string[]): Answer {
  const contentRange = `bytes ${range.start}-${range.end}/${file.sizeBytes}`;
  const headers = [...typed(file.contentType), 'Content-Range', contentRange, ...about];
  if (file.bytes !== undefined) {
    return { status: 206, headers, body: file.bytes.subarray(range.start, range.end + 1) };
  }
  return streamed(206, headers, file, range.end - range.start + 1, () => file.read(range));
}

function several(file: OpenFile, ranges: readonly Range[], about: readonly string[]): Answer {
  const { contentType, sizeBytes, read } = byteRangesBody(file, ranges);
  return streamed(206, [...typed(contentType), ...about], file, sizeBytes, read);
}

function unsatisfiable(sizeBytes: number): Answer {
  const { status, messages, headers } = rangeNotSatisfiable(sizeBytes);
  return errors(status, messages, Object.entries(headers).flat());
}

function streamed(
  status: number,
  headers: readonly string[],
  file: OpenFile,
  length: number,
  read: () => AsyncIterable<Buffer>,
): Answer {
  return {
    status,
    headers: [...headers, 'Content-Length', String(length)],
    body: leasedBody(read, file.release),
  };
}

/** The headers of a file's type. `nosniff` makes browsers treat the file as the type with which it was stored. */
function typed(contentType: string): readonly string[] {
  return ['Content-Type', contentType, 'X-Content-Type-Options', 'nosniff'];
}

/**
 * Makes a body that calls `release` once it ends, fails, is stopped, or will not be read. In the last case, `return()`
 * is called before the first chunk, which a generator does not notice. Nothing is opened before the first chunk is
 * requested.
 */
function leasedBody(read: () => AsyncIterable<Buffer>, release: () => void): AsyncIterable<Buffer> {
  return {
    [Symbol.asyncIterator]() {
      let chunks: AsyncIterator<Buffer> | undefined;
      let isOver = false;

      function end(): void {
        isOver = true;
        release();
      }

      return {
        async next() {
          if (isOver) return { done: true, value: undefined };
          try {
            chunks ??= read()[Symbol.asyncIterator]();
            const result = await chunks.next();
            if (result.done) end();
            return result;
          } catch (cause) {
            end();
            throw cause;
          }
        },
        async return() {
          isOver = true;
          try {
            await chunks?.return?.();
          } finally {
            release();
          }
          return { done: true, value: undefined };
        },
      };
    },
  };
}
