import type { ErrorBody } from 'basedrive-client';
import type { Answer } from './call.js';

/**
 * On every answer that has no other `Cache-Control`: answers depend on the key of the request, and a shared cache would
 * give them to others (docs/http.md#caches).
 */
export const noStore = ['Cache-Control', 'private, no-store'] as const;

/** Makes a browser treat an answer as its type says, whatever its bytes look like (docs/http.md#files-in-browsers). */
export const noSniff = ['X-Content-Type-Options', 'nosniff'] as const;

/** The headers of every JSON answer: always this array, so that the sender recognises it by identity. */
export const jsonHeaders = ['Content-Type', 'application/json', ...noStore, ...noSniff] as const;

/** An answer whose body is JSON text in memory: stored bytes are sent as they are. */
export function jsonText(status: number, body: Buffer | string): Answer {
  return { status, headers: jsonHeaders, body };
}

/** `Body` names a body of docs/http.md: the client library is compiled against the same types. */
export function json<Body>(status: number, value: Body): Answer {
  return { status, headers: jsonHeaders, body: JSON.stringify(value) };
}

/** An error (docs/http.md#errors). */
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
    headers: ['Content-Type', 'text/html', ...noStore, ...noSniff],
    body: '<h1>413 - Request Entity Too Large</h1>',
  };
}
