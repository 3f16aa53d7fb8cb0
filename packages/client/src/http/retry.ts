import type { RetryOptions } from './endpoint.js';
import type { BasedriveError } from './error.js';

/** Errors in Node that occur before anything is sent. */
const neverSent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

/** Whether the service may have done the request although its answer did not arrive. */
export function isLost({ code, status, cause }: BasedriveError): boolean {
  // A proxy answers so when its connection to the service fails.
  if (status === 502 || status === 504) return true;
  if (code !== 'network') return false;
  const reason = (cause as { cause?: { code?: unknown } } | undefined)?.cause?.code;
  return !neverSent.has(String(reason));
}

/** Whether the service may answer otherwise soon: it was not reached, is busy, or failed. */
export function isPassing({ code }: BasedriveError): boolean {
  return code === 'network' || code === 'unavailable' || code === 'failed';
}

/**
 * Whether a request may be sent again. After 429 it always may, because the service did not do it (docs/http.md#errors).
 * After a lost answer, and after 503, it may be sent again only if it is `repeatable`.
 */
export function mayRepeat(error: BasedriveError, repeatable: boolean | (() => boolean)): boolean {
  if (isLost(error) || error.status === 503)
    return typeof repeatable === 'function' ? repeatable() : repeatable;
  return error.code === 'unavailable' || error.code === 'network';
}

/** Gives the pause before the next attempt in milliseconds, or undefined if there is none. */
export type Repeats = (retryAfterMs?: number, status?: number) => number | undefined;

/**
 * Makes the pauses between the attempts of a request, or of a transfer that makes no progress. A pause is random, so that
 * clients that failed at the same time do not return at the same time. It is never shorter than `Retry-After`.
 */
export function createRepeats(options?: RetryOptions): Repeats {
  const { times = 3, firstDelayMs = 250, maxDelayMs = 30_000, patienceMs } = { ...options };
  let failures = 0;
  let sinceMs: number | undefined;
  return (retryAfterMs = 0, status = 0) => {
    const nowMs = performance.now();
    sinceMs ??= nowMs;
    // So NaN repeats nothing.
    const mayGoOn =
      patienceMs === undefined
        ? failures < times && retryAfterMs <= maxDelayMs
        : Math.max(nowMs - sinceMs, retryAfterMs) <= patienceMs;
    if (!mayGoOn) return undefined;
    // A wait that the service asks of a busy client does not use up its patience.
    if (status === 429) sinceMs += retryAfterMs;
    const backOff = Math.min(maxDelayMs, firstDelayMs * 2 ** failures++);
    return retryAfterMs > 0 ? retryAfterMs + Math.random() * firstDelayMs : Math.random() * backOff;
  };
}

/**
 * Reads the header `Retry-After`, whole seconds or a date. Gives milliseconds, or 0 if the header is absent or invalid.
 */
export function readRetryAfter(value: string | null): number {
  if (value === null) return 0;
  const milliseconds = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Math.max(0, milliseconds || 0);
}
