import { BasedriveError } from 'basedrive-client';
import { PageError } from './page-error.js';
import { key, signOut } from './session.js';

export { PageError };

/** An answer of the service with another status than 2xx. */
export class RefusedRequest extends Error {
  override readonly name = 'RefusedRequest';

  constructor(
    readonly status: number,
    /** The messages of the service. */
    readonly errors: readonly string[],
  ) {
    super(errors.join('; ') || `The answer is ${status}`);
  }
}

/** The refusal in an answer of the service, or of a proxy before it. */
export function refusalOf(status: number, text: string): RefusedRequest {
  try {
    const { errors } = JSON.parse(text) as { errors?: unknown };
    return new RefusedRequest(status, Array.isArray(errors) ? errors.map(String) : []);
  } catch {
    return new RefusedRequest(status, []);
  }
}

/** The HTTP status of a failure; 0 if there was no answer. */
export function statusOf(cause: unknown): number {
  return cause instanceof RefusedRequest || cause instanceof BasedriveError ? cause.status : 0;
}

/** Whether the page itself ended the request. */
export function isAborted(cause: unknown): boolean {
  return (cause as { name?: unknown } | null)?.name === 'AbortError';
}

/** Whether a failure passes by itself: there was no answer, or the storage of the service did not answer. */
export function isPassing(cause: unknown): boolean {
  return (
    statusOf(cause) === 503 || (statusOf(cause) === 0 && !(cause instanceof PageError) && !isAborted(cause))
  );
}

/** A failure as a sentence. A key that is no longer valid ends the session. */
export function explain(cause: unknown): string {
  const status = statusOf(cause);
  if (status === 401) {
    if (key.value !== undefined) signOut('The key is not valid any more. Sign in with another one.');
    return 'The key is not valid.';
  }
  if (status === 429) return 'The service is busy. Try again in a moment.';
  if (status === 503) return 'The storage of the service does not answer. Try again in a moment.';
  if (cause instanceof RefusedRequest || cause instanceof PageError) return cause.message;
  if (cause instanceof BasedriveError && cause.code !== 'network') return cause.message;
  return 'The service does not answer. Is it running?';
}
