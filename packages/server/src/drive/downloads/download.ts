import { noSniff } from '../../http/answers/answer.js';
import { checkConditions, rangeApplies } from '../../http/answers/conditional.js';
import { type Disposition, dispositionOf } from '../../http/answers/content-disposition.js';
import { parseRanges, type Range } from '../../http/answers/ranges.js';
import type { Answer, RequestHeaders } from '../../http/requests/call.js';
import { type AnswersOf, bytesAnswer, inHead } from '../../http/routing/operation.js';
import { rangeNotSatisfiable, refused } from '../../request-error.js';
import { metadataHeaders } from '../files/metadata.js';
import { etagOf, type FileHeaders } from '../rows.js';
import { byteRangesBody } from './byte-ranges-body.js';
import type { OpenFile } from './open-file.js';

/** The headers with which a client asks for a part of a file, or only for a changed one. */
export const readParameters = [
  inHead('Range', 'Only these bytes: `bytes=0-99`'),
  inHead('If-Range', 'The range counts only for this ETag or time'),
  inHead('If-None-Match', '304 if the file has one of these ETags'),
  inHead('If-Modified-Since', '304 if the file is not newer'),
  inHead('If-Match', '412 unless the file has one of these ETags'),
  inHead('If-Unmodified-Since', '412 if the file is newer'),
];

export const fileAnswers = {
  200: bytesAnswer('The file'),
  206: bytesAnswer('One or several ranges of it'),
  304: { description: 'The client has the current file' },
};

type FileAnswer = AnswersOf<typeof fileAnswers>;

/** How a file is answered. */
export interface Presentation {
  /** The name of the file. */
  readonly name: string;
  readonly contentType: string;
  readonly disposition: Disposition;
  /** The headers that were given with the file: those that say what its bytes are, and how they are shown. */
  readonly given?: FileHeaders | undefined;
  /** The headers of every answer about the file, 304 included: who may keep a copy, and who may read it. */
  readonly headers: readonly string[];
}

/**
 * The client may keep a copy, but must revalidate it for each use (docs/http.md#caches). The answer depends on the key
 * and on the origin of the page.
 */
const keyedHeaders = ['Cache-Control', 'private, no-cache', 'Vary', 'X-API-Key, Origin'] as const;

/** How a file is answered to a request with a key. */
export function keyedDownload(name: string, { row }: OpenFile): Presentation {
  const { contentType, headers: given } = row;
  return { name, contentType, disposition: 'inline', given, headers: keyedHeaders };
}

/**
 * The answer of Download File (docs/http.md#download-file): the file, its ranges, or the status that the conditions
 * require. The answer owns `file`, and releases it when the body has been sent or will not be sent.
 */
export function downloadAnswer(
  file: OpenFile,
  request: RequestHeaders,
  presentation: Presentation,
): FileAnswer {
  try {
    const answer = answerOf(file, request, withMetadata(presentation, file));
    if (typeof answer.body === 'string' || Buffer.isBuffer(answer.body)) file.release();
    return answer;
  } catch (cause) {
    file.release();
    throw cause;
  }
}

/** The whole file as the page of an error. Like `downloadAnswer`, it owns `file`. */
export function errorPage<const Status extends number>(
  status: Status,
  file: OpenFile,
  presentation: Presentation,
): Answer<Status> {
  const answer = whole(file, headersOf(presentation, []), status);
  if (file.bytes !== undefined) file.release();
  return answer;
}

/** Whoever may read a file may read its metadata (docs/http.md#file-metadata), as by S3. */
function withMetadata(presentation: Presentation, { row: { metadata } }: OpenFile): Presentation {
  if (metadata === undefined) return presentation;
  return { ...presentation, headers: [...presentation.headers, ...metadataHeaders(metadata)] };
}

function answerOf(file: OpenFile, request: RequestHeaders, presentation: Presentation): FileAnswer {
  const etag = etagOf(file.row);
  const lastModified = new Date(file.row.modifiedMs).toUTCString();
  const validators = { etag, lastModified };
  const validation = ['Accept-Ranges', 'bytes', 'ETag', etag, 'Last-Modified', lastModified];
  const condition = checkConditions(request, validators);
  if (condition === 'not modified') {
    return { status: 304, headers: [...validation, ...presentation.headers], body: '' };
  }
  if (condition === 'failed')
    throw refused('condition_failed', 'The file is not the one that the request is about');

  const ranges = rangeApplies(request, validators) ? parseRanges(request.range, file.row.sizeBytes) : 'whole';
  if (ranges === 'unsatisfiable') throw rangeNotSatisfiable(file.row.sizeBytes);
  if (ranges === 'whole') return whole(file, headersOf(presentation, validation), 200);
  const [first, ...others] = ranges;
  return first !== undefined && others.length === 0
    ? single(file, first, headersOf(presentation, validation))
    : several(file, ranges, presentation, validation);
}

function whole<const Status extends number>(
  file: OpenFile,
  headers: readonly string[],
  status: Status,
): Answer<Status> {
  if (file.bytes !== undefined) return { status, headers, body: file.bytes };
  const read = () => file.read({ start: 0, end: file.row.sizeBytes - 1 });
  return { status, headers: withLength(headers, file.row.sizeBytes), body: leasedBody(read, file.release) };
}

function single(file: OpenFile, range: Range, about: readonly string[]): Answer<206> {
  const headers = [...about, 'Content-Range', `bytes ${range.start}-${range.end}/${file.row.sizeBytes}`];
  if (file.bytes !== undefined) {
    return { status: 206, headers, body: file.bytes.subarray(range.start, range.end + 1) };
  }
  const length = range.end - range.start + 1;
  return {
    status: 206,
    headers: withLength(headers, length),
    body: leasedBody(() => file.read(range), file.release),
  };
}

function several(
  file: OpenFile,
  ranges: readonly Range[],
  presentation: Presentation,
  validation: readonly string[],
): Answer<206> {
  const { contentType, sizeBytes, read } = byteRangesBody(file, presentation.contentType, ranges);
  const headers = headersOf({ ...presentation, contentType }, validation);
  return { status: 206, headers: withLength(headers, sizeBytes), body: leasedBody(read, file.release) };
}

function withLength(headers: readonly string[], length: number): readonly string[] {
  return [...headers, 'Content-Length', String(length)];
}

/** A page may offer downloads, and open other pages in tabs of their own, which have the rights of their own origin. */
const sandbox = 'sandbox allow-downloads allow-popups allow-popups-to-escape-sandbox';
/**
 * A browser treats the file as the type that the answer gives, and gives a page, an image or a document that it opens
 * no rights of this origin: neither scripts nor forms nor storage (docs/http.md#files-in-browsers).
 */
export const harmless = [...noSniff, 'Content-Security-Policy', sandbox] as const;

function headersOf(
  { name, contentType, disposition, given, headers }: Presentation,
  validation: readonly string[],
): readonly string[] {
  const shown = disposition === 'inline' ? given?.['Content-Disposition'] : undefined;
  return [
    'Content-Type',
    contentType,
    ...harmless,
    'Content-Disposition',
    shown ?? dispositionOf(disposition, name),
    ...(given === undefined ? none : ofBytes(given)),
    ...validation,
    ...headers,
  ];
}

const none: readonly string[] = [];

function ofBytes(given: FileHeaders): readonly string[] {
  return (['Content-Encoding', 'Content-Language'] as const).flatMap((name) => {
    const value = given[name];
    return value === undefined ? [] : [name, value];
  });
}

/** How long caches may keep a file that is for everyone, if that was given with it (docs/http.md#file-headers). */
export function givenCaching({ row }: OpenFile): readonly string[] | undefined {
  const { headers, expiresAtSeconds } = row;
  // A cache must not keep a file beyond its end.
  if (headers === undefined || expiresAtSeconds !== undefined) return undefined;
  const { 'Cache-Control': caching, Expires: until } = headers;
  const expires = until === undefined ? [] : ['Expires', until];
  return caching === undefined ? undefined : ['Cache-Control', caching, ...expires];
}

/**
 * Makes a body that calls `release` once it ends, fails, is stopped, or will not be read. In the last case, `return()`
 * is called before the first chunk, which a generator does not notice. Nothing is opened before the first chunk is
 * requested.
 */
export function leasedBody(read: () => AsyncIterable<Buffer>, release: () => void): AsyncIterable<Buffer> {
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
