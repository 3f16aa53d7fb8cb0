/** What went wrong, for programs. */
export type ErrorCode =
  /** The call itself is wrong; nothing was sent. */
  | 'invalid'
  /** 400, 413, 415, 416 …: the service refused the request. */
  | 'refused'
  /** 401: no such key, or not of this project. */
  | 'unauthorized'
  /** 404: no such item (update), upload or path. */
  | 'not_found'
  /** 409: the key exists (insert). */
  | 'conflict'
  /** 429 or 503, after all repeats. */
  | 'unavailable'
  /** 5xx else: a fault of the service, or of a proxy before it. */
  | 'failed'
  /** No answer, or half of one. Whether the service did what it was asked is not known. */
  | 'network'
  /** The call took longer than its `timeoutMs`. */
  | 'timeout'
  /** The call was ended by its `signal`; `cause` is the reason. */
  | 'aborted'
  /** What answered is not the service. */
  | 'unexpected';

/** What an error knows besides its message. */
export interface ErrorFacts {
  readonly status?: number;
  readonly errors?: readonly string[];
  readonly requestId?: string;
  readonly cause?: unknown;
}

/** The one error that this library raises. */
export class BasedriveError extends Error {
  /** For programs: what went wrong. */
  readonly code: ErrorCode;
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** What the service said, each message naming the field and the rule; empty when it said nothing. */
  readonly errors: readonly string[];
  /** The id that the request has in the log of the service. */
  readonly requestId: string | undefined;

  constructor(code: ErrorCode, message: string, facts: ErrorFacts = {}) {
    super(message, 'cause' in facts ? { cause: facts.cause } : undefined);
    // The names that the platform gives to these two, which frameworks look for.
    this.name = code === 'aborted' ? 'AbortError' : code === 'timeout' ? 'TimeoutError' : 'BasedriveError';
    this.code = code;
    this.status = facts.status ?? 0;
    this.errors = facts.errors ?? [];
    this.requestId = facts.requestId;
  }
}

/** A call that is wrong in itself. */
export function invalid(message: string): BasedriveError {
  return new BasedriveError('invalid', message);
}

/** An answer that is no success. `text` is its body. */
export function refusal(response: Response, text: string, value: unknown): BasedriveError {
  const { status } = response;
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const errors = errorsOf(value);
  const message = errors.join('; ') || text.match(/<h1>(.*?)<\/h1>/)?.[1] || `The answer is ${status}`;
  return new BasedriveError(codeOf(status), message, {
    status,
    errors,
    ...(requestId === undefined ? {} : { requestId }),
  });
}

function errorsOf(value: unknown): string[] {
  const errors: unknown = (value as { errors?: unknown } | null | undefined)?.errors;
  return Array.isArray(errors) ? errors.map(String) : [];
}

function codeOf(status: number): ErrorCode {
  if (status === 401) return 'unauthorized';
  if (status === 404) return 'not_found';
  if (status === 409) return 'conflict';
  if (status === 429 || status === 503) return 'unavailable';
  if (status >= 500) return 'failed';
  return status >= 400 ? 'refused' : 'unexpected';
}
