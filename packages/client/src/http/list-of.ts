import { invalid } from './error.js';

/**
 * The elements of a list, a set or the like. Throws code `invalid`, with `what` in its message, for anything else, and for a
 * text, whose characters would be the elements.
 */
export function listOf<T>(what: string, given: Iterable<T>): T[] {
  if (typeof given === 'string' || !(Symbol.iterator in Object(given)))
    throw invalid(`${what} must be a list`);
  return [...given];
}

/** The same in batches of a thousand, which is the limit of one request for names and ids. */
export function batchesOf(what: string, given: Iterable<string>): string[][] {
  const all = listOf(what, given);
  const batches: string[][] = [];
  for (let at = 0; at < all.length; at += 1000) batches.push(all.slice(at, at + 1000));
  return batches;
}
