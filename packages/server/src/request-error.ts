/**
 * What a caller did wrong, as the wire says it: a status and messages that name the field and the rule.
 * Absent, taken and done are return values, not errors.
 */
export class RequestError extends Error {
  override readonly name = 'RequestError';

  constructor(
    readonly status: number,
    readonly messages: readonly string[],
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(messages.join('; '));
  }
}

export function badRequest(...messages: string[]): RequestError {
  return new RequestError(400, messages);
}

/** "bad query: 400, and the first message is exactly `Bad query`; a second message says what is wrong" */
export function badQuery(reason: string): RequestError {
  return new RequestError(400, ['Bad query', reason]);
}

/** "no key, unknown key, revoked key, or a key of another project: alike in all four cases" */
export function unauthorized(): RequestError {
  return new RequestError(401, ['Unauthorized']);
}

export function notFound(message = 'Not found'): RequestError {
  return new RequestError(404, [message]);
}

export function methodNotAllowed(allow: string): RequestError {
  return new RequestError(405, ['Method not allowed'], { Allow: allow });
}

/** The client closed the connection, so the work for it ends. Nobody reads this answer. */
export function abandoned(): RequestError {
  return badRequest('connection: closed before the answer');
}

export function conflict(message: string): RequestError {
  return new RequestError(409, [message]);
}

/** A condition of the request does not hold (docs/http.md#errors). Nothing was done. */
export function preconditionFailed(message: string): RequestError {
  return new RequestError(412, [message]);
}

/** The database API's; the file API's 413 is a page, see `http/answer.ts`. */
export function payloadTooLarge(message: string): RequestError {
  return new RequestError(413, [message]);
}

/** More requests at once than the operator allows: docs/http.md#errors. */
export function tooManyRequests(): RequestError {
  return new RequestError(429, ['Too many requests are in progress, try again later'], {
    'Retry-After': '1',
  });
}

/** There is no room in memory for what the request would need: docs/http.md#all-limits. Nothing was done. */
export function tooManyBytes(): RequestError {
  return new RequestError(429, ['Too many bytes wait in memory for other clients, try again later'], {
    'Retry-After': '1',
  });
}

/** Others have changed the same items each time that the request was about to: docs/http.md#transactions. */
export function tooManyWrites(): RequestError {
  return new RequestError(429, ['Other requests change the same items all the time, try again later'], {
    'Retry-After': '1',
  });
}

export function unsupportedMediaType(message: string): RequestError {
  return new RequestError(415, [message]);
}

export function rangeNotSatisfiable(sizeBytes: number): RequestError {
  return new RequestError(416, ['Range: outside the file'], { 'Content-Range': `bytes */${sizeBytes}` });
}
