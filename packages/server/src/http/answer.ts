import type { ErrorBody } from 'basedrive-client';
import type { Answer } from './call.js';

/** Of every answer of JSON: the very same list, by which the sender knows it. */
export const jsonHeaders = ['Content-Type', 'application/json'] as const;

/** An answer whose body is JSON text that is at hand: stored bytes go out as they are. */
export function jsonText(status: number, body: Buffer | string): Answer {
  return { status, headers: jsonHeaders, body };
}

/** The type says which body of the contract it is: the client library reads the same types. */
export function json<Body>(status: number, value: Body): Answer {
  return { status, headers: jsonHeaders, body: JSON.stringify(value) };
}

export function errors(status: number, messages: readonly string[], headers: readonly string[] = []): Answer {
  return {
    status,
    headers: [...jsonHeaders, ...headers],
    body: JSON.stringify({ errors: [...messages] } satisfies ErrorBody),
  };
}

/** "413 of the file API (text/html, `<h1>413 - Request Entity Too Large</h1>`)" */
export function tooLargePage(): Answer {
  return {
    status: 413,
    headers: ['Content-Type', 'text/html'],
    body: '<h1>413 - Request Entity Too Large</h1>',
  };
}
