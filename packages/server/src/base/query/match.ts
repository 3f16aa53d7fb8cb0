import type { Query } from './read.js';

/** Whether a stored item matches a query, by its stored text; its key lies in the query's range. */
export function matches(json: string, { alternatives }: Query): boolean {
  if (alternatives.length === 0) return true;
  for (const predicates of alternatives) if (predicates.every((holds) => holds(json))) return true;
  return false;
}
