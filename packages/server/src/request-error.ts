import type { Room } from './lib/concurrency/time-slices.js';
import { StacklessError } from './lib/stackless-error.js';
import { type FailureStatus, type ProblemCode, problemCodes } from './problem-codes.js';

/** What is wrong with a request, as it is answered (docs/http.md#errors). */
export interface Problem {
  readonly code: ProblemCode;
  /** The field at fault: a member of the body (`items[3].key`), a condition, a parameter or a header. */
  readonly path?: string;
  /** Of damage in a list: the last key or name that is lost with it, if that is known (docs/http.md#error-codes). */
  readonly until?: string | undefined;
  /** For people: it names the field and the rule. */
  readonly message: string;
}

/** The rule that a value breaks: how a message goes on after the name of the field. */
export interface BrokenRule {
  readonly code: ProblemCode;
  readonly rule: string;
}

/** The members `errors` and `codes` of an answer: the same problems for people and for programs. */
export function errorsOf(problems: readonly Problem[]) {
  return {
    errors: problems.map(({ message }) => message),
    codes: problems.map(({ code, path, until }) => ({
      code,
      ...(path !== undefined && { path }),
      ...(until !== undefined && { until }),
    })),
  };
}

export function broken(code: ProblemCode, rule: string): BrokenRule {
  return { code, rule };
}

/** What a client did wrong. The status is that of the first code. Absent and taken are return values, not errors. */
export class RequestError extends StacklessError {
  override readonly name = 'RequestError';
  readonly status: FailureStatus;

  constructor(
    readonly problems: readonly Problem[],
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(problems.map(({ message }) => message).join('; '));
    this.status = problemCodes[problems[0]?.code ?? 'invalid_request'].status;
  }
}

/** The request as a whole is refused. */
export function refused(
  code: ProblemCode,
  message: string,
  headers?: Readonly<Record<string, string>>,
): RequestError {
  return new RequestError([{ code, message }], headers);
}

/** A field of the request breaks a rule, or names something that there is not: `items[3].key: must not be empty`. */
export function badField(path: string, code: ProblemCode, rule: string): RequestError {
  return new RequestError([{ code, path, message: `${path}: ${rule}` }]);
}

/** A condition of a query breaks a rule (docs/http.md#bad-queries). */
export function badQuery(path: string, code: ProblemCode, rule: string): RequestError {
  return new RequestError([
    { code: 'bad_query', message: 'Bad query' },
    { code, path, message: `${path}: ${rule}` },
  ]);
}

/** The same answer to an absent, unknown or revoked key and to a key of another project (docs/http.md#keys). */
export function unauthorized(): RequestError {
  return refused('unauthorized', 'Unauthorized');
}

/** The key does not allow the request (docs/http.md#limited-keys). `reason` tells nothing of what is stored. */
export function forbidden(code: ProblemCode, reason: string): RequestError {
  return refused(code, `Forbidden: ${reason}`);
}

/** More requests per second than the key allows (docs/http.md#limited-keys). */
export function tooManyOfKey(waitSeconds: number): RequestError {
  return refused('rate_exceeded', 'Too many requests with this key, try again later', {
    'Retry-After': String(waitSeconds),
  });
}

/** The project is being deleted (docs/http.md#delete-project): nothing of it is read or written any more. */
export function projectDeleted(): RequestError {
  return refused('project_deleted', 'The project is being deleted');
}

/** What would be stored is more than the project may have (docs/http.md#set-quota). Nothing was done. */
export function quotaExceeded(quota: string, most: number): RequestError {
  return new RequestError([
    {
      code: 'quota_exceeded',
      path: quota,
      message: `The project would have more than its quota allows: ${quota} is at most ${most}`,
    },
  ]);
}

/** More requests per second than the project may send, over all of its keys (docs/http.md#set-quota). */
export function tooManyOfProject(waitSeconds: number): RequestError {
  return refused('rate_exceeded', 'Too many requests in this project, try again later', {
    'Retry-After': String(waitSeconds),
  });
}

export function notFound(): RequestError {
  return refused('not_found', 'Not found');
}

export function methodNotAllowed(allow: string): RequestError {
  return refused('method_not_allowed', 'Method not allowed', { Allow: allow });
}

/**
 * Long work ends: the client closed the connection, so nobody reads this answer. Or others need its memory, or its key
 * was deleted or has expired: then `http/answering.ts` answers 429 or 401.
 */
export class Abandoned extends RequestError {}

export function abandoned(): RequestError {
  return new Abandoned([{ code: 'abandoned', message: 'connection: closed before the answer' }]);
}

/** A room for work of little memory, which ends when the client leaves. */
export function untilAbandoned(isAbandoned: () => boolean): Room {
  return {
    grow: () => undefined,
    check() {
      if (isAbandoned()) throw abandoned();
    },
  };
}

/** For the database API. */
export function payloadTooLarge(message: string): RequestError {
  return refused('body_too_large', message);
}

/** For the file API, which answers it with a page of HTML (docs/http.md#put-file). */
export function pageTooLarge(): RequestError {
  return new PageTooLarge([{ code: 'body_too_large', message: 'Request Entity Too Large' }]);
}

export class PageTooLarge extends RequestError {}

const soon = { 'Retry-After': '1' };

/** More requests at once than the operator allows: docs/http.md#errors. */
export function tooManyRequests(): RequestError {
  return refused('too_many_requests', 'Too many requests are in progress, try again later', soon);
}

/** The project has as many requests or connections as others leave it: docs/operations.md#limits. */
export function shareTaken(): RequestError {
  const rule = 'at most three times as many requests or connections as are free on the server';
  return refused('share_taken', `Too many requests of this project have not ended: ${rule}`, soon);
}

/** There is no room in memory for what the request would need: docs/http.md#all-limits. Nothing was done. */
export function tooManyBytes(): RequestError {
  return refused('memory_full', 'Too many bytes wait in memory for other clients, try again later', soon);
}

/** At every attempt, other requests had changed the same items or files (docs/http.md#errors). Nothing was done. */
export function tooManyWrites(): RequestError {
  return refused('contention', 'Other requests keep changing the same items or files, try again later', soon);
}

export function rangeNotSatisfiable(sizeBytes: number): RequestError {
  const error = badField('Range', 'range_outside', 'outside the file');
  return new RequestError(error.problems, { 'Content-Range': `bytes */${sizeBytes}` });
}
