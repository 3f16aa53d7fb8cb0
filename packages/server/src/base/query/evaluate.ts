import type { Steps } from '../../lib/concurrency/time-slices.js';
import type { Query } from './query-body.js';

/** The number of rows between two points at which other work may run. */
export const rowsPerStep = 32;
/**
 * The maximum number of conditions, the size of their operands, and the number of characters of an item, that are
 * evaluated in one step.
 */
const quickConditions = 20;
const quickOperandBytes = 16 * 1024;
export const quickCharacters = 16 * 1024;
/** The same of several items together: their characters, once for each condition, and the operands, once for each item. */
export const workPerStep = 64 * 1024;

/** What decides whether an item matches. */
export type ItemFilter = Pick<Query, 'filter' | 'conditions'>;

/** Whether a stored item matches. A large item or a large query is evaluated in steps. */
export function matches({ filter, conditions }: ItemFilter, text: string): boolean | Steps<boolean> {
  if (filter === undefined) return true;
  const isQuick =
    text.length <= quickCharacters &&
    conditions <= quickConditions &&
    filter.comparedBytes <= quickOperandBytes;
  return isQuick ? filter.matches(text) : filter.matchesInSteps(text);
}

/** Whether the query is compared in one step with an item that is not large. */
export function isQuickQuery({ filter, conditions }: ItemFilter): boolean {
  return conditions <= quickConditions && (filter?.comparedBytes ?? 0) <= quickOperandBytes;
}

/** Estimates what it costs to compare an item with the query: see `workPerStep`. */
export function workOf({ filter, conditions }: ItemFilter, text: string): number {
  return filter === undefined ? 0 : conditions * text.length + filter.comparedBytes;
}

/** Gives a function that is called with each item before it is compared, and says whether other work may run before. */
export function createPace({ filter, conditions }: ItemFilter): (text: string) => boolean {
  const comparedBytes = filter?.comparedBytes ?? 0;
  const perCharacter = filter === undefined ? 0 : conditions;
  let rows = 0;
  let work = 0;
  return (text) => {
    work += perCharacter * text.length + comparedBytes;
    if (++rows < rowsPerStep && work <= workPerStep) return false;
    rows = 0;
    work = 0;
    return true;
  };
}
