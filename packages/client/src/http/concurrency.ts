import { invalid } from './error.js';

/**
 * How many of the same a call does at once: the option, default 4, at least 1 and at most 1000. Throws code `invalid` for what
 * is no number: none would be done then, as if there were none to do.
 */
export function concurrencyOf(option = 4): number {
  if (Number.isNaN(Number(option))) throw invalid('concurrency: must be a number');
  return Math.min(1000, Math.max(1, option));
}
