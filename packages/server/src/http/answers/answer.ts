import { problemCodes } from '../../problem-codes.js';
import { errorsOf, PageTooLarge, type Problem, type RequestError } from '../../request-error.js';
import type { Answer, Failure } from '../requests/call.js';

/**
 * On every answer that has no other `Cache-Control`: answers depend on the key of the request, and a shared cache would
 * give them to others (docs/http.md#caches).
 */
export const noStore = ['Cache-Control', 'private, no-store'] as const;

/** Makes a browser treat an answer as its type says, whatever its bytes look like (docs/http.md#files-in-browsers). */
export const noSniff = ['X-Content-Type-Options', 'nosniff'] as const;

/** The headers of every JSON answer: always this array, so that the sender recognises it by identity. */
export const jsonHeaders = ['Content-Type', 'application/json', ...noStore, ...noSniff] as const;

const linesHeaders = ['Content-Type', 'application/x-ndjson', ...noStore, ...noSniff] as const;

/** An answer whose body is JSON text in memory: stored bytes are sent as they are. */
export function jsonText<const Status extends number>(
  status: Status,
  body: Buffer | string,
): Answer<Status, never> {
  return { status, headers: jsonHeaders, body };
}

/** The value must be what the operation says that it answers with this status. */
export function json<const Status extends number, Value>(
  status: Status,
  value: Value,
): Answer<Status, Value> {
  return { status, headers: jsonHeaders, body: JSON.stringify(value) };
}

/** An answer of NDJSON, sent as it comes. */
export function linesAnswered(body: AsyncIterable<Buffer>): Answer<200> {
  return { status: 200, headers: linesHeaders, body };
}

/** What a client did wrong (docs/http.md#errors). `more` are headers in addition to those of the error. */
export function refusal(cause: RequestError, more: readonly string[] = []): Failure {
  if (cause instanceof PageTooLarge) return tooLargePage;
  return errors(cause.problems, [...Object.entries(cause.headers).flat(), ...more]);
}

/** An error (docs/http.md#errors). */
export function errors(problems: readonly Problem[], headers: readonly string[] = []): Failure {
  const { code } = problems[0] as Problem;
  return {
    status: problemCodes[code].status,
    headers: headers.length === 0 ? jsonHeaders : [...jsonHeaders, ...headers],
    body: JSON.stringify(errorsOf(problems)),
  };
}

/** The 413 of the file API: docs/http.md#put-file */
const tooLargePage: Failure = {
  status: 413,
  headers: ['Content-Type', 'text/html', ...noStore, ...noSniff],
  body: '<h1>413 - Request Entity Too Large</h1>',
};
