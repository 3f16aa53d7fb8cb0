import type { ErrorBody } from 'basedrive-client';
import type { Answer } from './call.js';

/**
 * On every answer that has no `Cache-Control` of its own: answers depend on the key of the request, and a cache between
 * would give them to others (docs/http.md#caches).
 */
export const noStore = ['Cache-Control', 'private, no-store'] as const;

/** The headers of every JSON answer: the very same list, so that the sender recognises it. */
export const jsonHeaders = ['Content-Type', 'application/json', ...noStore] as const;

/** An answer whose body is JSON text in memory: stored bytes are sent as they are. */
export function jsonText(status: number, body: Buffer | string): Answer {
  return { status, headers: jsonHeaders, body };
}

/** The type says which body of docs/http.md it is: the client library reads the same types. */
export function json<Body>(status: number, value: Body): Answer {
  return { status, headers: jsonHeaders, body: JSON.stringify(value) };
}

/** docs/http.md#errors */
export function errors(status: number, messages: readonly string[], headers: readonly string[] = []): Answer {
  return {
    status,
    headers: headers.length === 0 ? jsonHeaders : [...jsonHeaders, ...headers],
    body: JSON.stringify({ errors: [...messages] } satisfies ErrorBody),
  };
}

/** The 413 of the file API: docs/http.md#put-file */
export function tooLargePage(): Answer {
  return {
    status: 413,
    headers: ['Content-Type', 'text/html', ...noStore],
    body: '<h1>413 - Request Entity Too Large</h1>',
  };
}
