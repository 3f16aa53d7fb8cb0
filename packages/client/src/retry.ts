import type { RetryOptions } from './endpoint.js';
import type { BasedriveError } from './error.js';

/** Failures of `fetch` in Node before anything was sent. */
const neverSent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

/** Whether the service may have done what it was asked, although no answer of its own says so. */
export function isLost({ code, status, cause }: BasedriveError): boolean {
  // Proxies say so when the service behind them went away in the middle.
  if (status === 502 || status === 504) return true;
  if (code !== 'network') return false;
  const reason = (cause as { cause?: { code?: unknown } } | undefined)?.cause?.code;
  return !neverSent.has(String(reason));
}

/**
 * Whether to ask again. 429 and 503 are answers of the service, and "a request that is answered with an error has
 * changed nothing"; when the answer was lost, only what may be done twice is asked again.
 */
export function mayRepeat(error: BasedriveError, repeatable: boolean): boolean {
  if (isLost(error)) return repeatable;
  return error.code === 'unavailable' || error.code === 'network';
}

/**
 * The pause before a repeat (counted from 0), in milliseconds; nothing when the service asks for a longer one than
 * is allowed. Drawn by lot, so that clients that failed together do not come back together.
 */
export function repeatDelay(
  repeat: number,
  retryAfterMs: number,
  { times = 3, firstDelayMs = 250, maxDelayMs = 30_000 }: RetryOptions = {},
): number | undefined {
  if (repeat >= times || retryAfterMs > maxDelayMs) return undefined;
  const backOff = Math.min(maxDelayMs, firstDelayMs * 2 ** repeat) * Math.random();
  // Never earlier than the service asks for.
  return retryAfterMs > 0 ? retryAfterMs + Math.random() * firstDelayMs : backOff;
}

/** `Retry-After` in milliseconds: whole seconds, or a date. */
export function readRetryAfter(value: string | null): number {
  if (value === null) return 0;
  const milliseconds = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  // What is no date at all asks for nothing.
  return Math.max(0, milliseconds || 0);
}
