export type FailureStatus =
  | 400
  | 401
  | 403
  | 404
  | 405
  | 408
  | 409
  | 412
  | 413
  | 415
  | 416
  | 417
  | 429
  | 431
  | 500
  | 503;

/**
 * What a client did wrong, as it is answered (docs/http.md#errors): a status, and messages that name the field and the
 * rule. Absent and taken are return values, not errors.
 */
export class RequestError extends Error {
  override readonly name = 'RequestError';

  constructor(
    readonly status: FailureStatus,
    readonly messages: readonly string[],
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(messages.join('; '));
  }
}

export function badRequest(...messages: string[]): RequestError {
  return new RequestError(400, messages);
}

/** A query that breaks a rule (docs/http.md#bad-queries); `reason` is the second message. */
export function badQuery(reason: string): RequestError {
  return new RequestError(400, ['Bad query', reason]);
}

/** The same answer to an absent, unknown or revoked key and to a key of another project (docs/http.md#keys). */
export function unauthorized(): RequestError {
  return new RequestError(401, ['Unauthorized']);
}

/** The key does not allow the request (docs/http.md#limited-keys). `reason` tells nothing of what is stored. */
export function forbidden(reason: string): RequestError {
  return new RequestError(403, [`Forbidden: ${reason}`]);
}

/** More requests per second than the key allows (docs/http.md#limited-keys). */
export function tooManyOfKey(waitSeconds: number): RequestError {
  return new RequestError(429, ['Too many requests with this key, try again later'], {
    'Retry-After': String(waitSeconds),
  });
}

export function notFound(message = 'Not found'): RequestError {
  return new RequestError(404, [message]);
}

export function methodNotAllowed(allow: string): RequestError {
  return new RequestError(405, ['Method not allowed'], { Allow: allow });
}

/**
 * Long work ends: the client closed the connection, so nobody reads this answer. Or others need its memory: then
 * `http/listener.ts` answers 429.
 */
export class Abandoned extends RequestError {}

export function abandoned(): RequestError {
  return new Abandoned(400, ['connection: closed before the answer']);
}

export function conflict(message: string): RequestError {
  return new RequestError(409, [message]);
}

/** A condition of the request does not hold (docs/http.md#errors). Nothing was done. */
export function preconditionFailed(message: string): RequestError {
  return new RequestError(412, [message]);
}

/** For the database API. */
export function payloadTooLarge(message: string): RequestError {
  return new RequestError(413, [message]);
}

/** For the file API, which answers it with a page of HTML (docs/http.md#put-file). */
export function pageTooLarge(): RequestError {
  return new PageTooLarge(413, []);
}

export class PageTooLarge extends RequestError {}

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

/** At every attempt, other requests had changed the same items or files (docs/http.md#errors). Nothing was done. */
export function tooManyWrites(): RequestError {
  return new RequestError(429, ['Other requests keep changing the same items or files, try again later'], {
    'Retry-After': '1',
  });
}

export function unsupportedMediaType(message: string): RequestError {
  return new RequestError(415, [message]);
}

export function rangeNotSatisfiable(sizeBytes: number): RequestError {
  return new RequestError(416, ['Range: outside the file'], { 'Content-Range': `bytes */${sizeBytes}` });
}
