import type { Steps } from '../../lib/concurrency/time-slices.js';
import type { Query } from './query-body.js';

/** The number of rows between two points at which other work may run. */
export const rowsPerStep = 32;
/** The maximum number of conditions, and of characters of an item, that are evaluated in one step. */
export const quickConditions = 20;
export const quickCharacters = 16 * 1024;

/** Whether a stored item matches. A large item or a large query is evaluated in steps. */
export function matches(
  { filter, conditions }: Pick<Query, 'filter' | 'conditions'>,
  text: string,
): boolean | Steps<boolean> {
  if (filter === undefined) return true;
  const isQuick = conditions <= quickConditions && text.length <= quickCharacters;
  return isQuick ? filter.matches(text) : filter.matchesInSteps(text);
}
