import type { Problem } from '../http-types.js';
import type { TextAnswer } from './text-exchange.js';

/** What went wrong, in a form for programs. */
export type ErrorCode =
  /** The call is wrong; nothing was sent. */
  | 'invalid'
  /** 412: the item does not match an `if`, or the file does not meet `ifMatch` or `ifNoneMatch`. */
  | 'condition_failed'
  /** 400, 413, 415, 416 …: the service refused the request. */
  | 'refused'
  /** 401: the key does not exist, has expired or belongs to another project. */
  | 'unauthorized'
  /** 403: the key does not allow the call: it is a limited key. */
  | 'forbidden'
  /** 404: the item (of an update), the upload or the path does not exist. */
  | 'not_found'
  /** 409: the key exists (insert), or the file (move, copy). Without a status: an export would overwrite something. */
  | 'conflict'
  /** 429 or 503, after all repeats. */
  | 'unavailable'
  /** Any other 5xx: an error of the service, or of a proxy in front of it. */
  | 'failed'
  /** No answer, or an incomplete one. The service may or may not have done what it was asked to do. */
  | 'network'
  /** The call took longer than its `timeoutMs`, or than its `signal` of `AbortSignal.timeout()` allows. */
  | 'timeout'
  /** Its `signal` ended the call; `cause` is the signal's reason. */
  | 'aborted'
  /** What is to be imported is no export, or it is damaged; nothing was stored. */
  | 'bad_archive'
  /** The answer does not come from Basedrive. */
  | 'unexpected';

/** The properties of an error besides its message. */
export interface ErrorFacts {
  readonly status?: number;
  readonly errors?: readonly string[];
  readonly codes?: readonly Problem[];
  readonly requestId?: string;
  readonly cause?: unknown;
}

/** The one class of errors that this library throws. */
export class BasedriveError extends Error {
  /** What went wrong, in a form for programs. */
  readonly code: ErrorCode;
  /** The HTTP status; 0 if there was no answer. */
  readonly status: number;
  /** The messages of the service, each with the field and the rule that was broken. `message` has all of them. */
  readonly errors: readonly string[];
  /**
   * The same for programs: what is wrong, and the path of the field at fault. One for each of `errors`, or none from
   * a server that does not send them.
   */
  readonly codes: readonly Problem[];
  /** The index of the operation of a transaction that failed. */
  readonly operation: number | undefined;
  /** The id of the request in the log of the service. */
  readonly requestId: string | undefined;

  constructor(code: ErrorCode, message: string, facts: ErrorFacts = {}) {
    super(message, 'cause' in facts ? { cause: facts.cause } : undefined);
    // Frameworks look for these two names, which the platform's own errors have.
    this.name = code === 'aborted' ? 'AbortError' : code === 'timeout' ? 'TimeoutError' : 'BasedriveError';
    this.code = code;
    this.status = facts.status ?? 0;
    this.errors = facts.errors ?? [];
    this.codes = facts.codes ?? [];
    const place = /^operations\[(\d+)\]/.exec(this.codes[0]?.path ?? '');
    this.operation = place ? Number(place[1]) : undefined;
    this.requestId = facts.requestId;
  }
}

/** The error of a call that is wrong; nothing was sent. */
export function invalid(message: string, facts?: ErrorFacts): BasedriveError {
  return new BasedriveError('invalid', message, facts);
}

/** The error for a failed `fetch`, or for a body that could not be read. */
export function networkError(cause: unknown): BasedriveError {
  const { message, cause: reason } = cause as { message?: string; cause?: { message?: string } };
  return new BasedriveError('network', `No answer: ${reason?.message || message || String(cause)}`, {
    cause,
  });
}

/** The error for an answer with another status than 2xx. `text` is its body, `value` the JSON in it. */
export function refusal(answer: TextAnswer, text: string, value: unknown): BasedriveError {
  const { status } = answer;
  const requestId = answer.headers.get('x-request-id') ?? undefined;
  const { errors, codes } = problemsOf(value);
  const message = errors.join('; ') || text.match(/<h1>(.*?)<\/h1>/)?.[1] || `The answer is ${status}`;
  return new BasedriveError(codeOf(status), message, {
    status,
    errors,
    codes,
    ...(requestId === undefined ? {} : { requestId }),
  });
}

/** What an answer says of what is wrong. */
function problemsOf(value: unknown): Required<Pick<ErrorFacts, 'errors' | 'codes'>> {
  const { errors, codes } = (value ?? {}) as { readonly [name: string]: unknown };
  return {
    errors: Array.isArray(errors) ? errors.map(String) : [],
    codes: Array.isArray(codes) ? (codes as Problem[]) : [],
  };
}

/** The code for an answer with this status, other than 2xx. */
function codeOf(status: number): ErrorCode {
  if (status === 401) return 'unauthorized';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'not_found';
  if (status === 409) return 'conflict';
  if (status === 412) return 'condition_failed';
  if (status === 429 || status === 503) return 'unavailable';
  if (status >= 500) return 'failed';
  return status >= 400 ? 'refused' : 'unexpected';
}
