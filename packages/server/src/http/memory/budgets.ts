import { BufferBudget } from './buffer-budget.js';

const kib = 1024;

/** The budget of bodies that arrive, and of answers that wait to be sent (docs/http.md#memory). */
export function createBufferBudget(maxBytes: number): BufferBudget {
  return new BufferBudget({ maxBytes, smallBytes: 192 * kib, maxWaitMs: 15_000, maxWaiting: 64 });
}

/**
 * The budget of the values that JSON becomes (docs/http.md#memory): up to 90 times its size. Bodies that wait have
 * arrived, and are counted by the other budget: so any number may wait, and longer.
 */
export function createValueBudget(maxBytes: number): BufferBudget {
  const maxWaiting = Number.POSITIVE_INFINITY;
  return new BufferBudget({ maxBytes, smallBytes: 1024 * kib, maxWaitMs: 60_000, maxWaiting });
}
