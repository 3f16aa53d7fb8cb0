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
