import type { ReadCost } from '../pages/matches-of.js';
import type { Query } from '../query/query-body.js';

/** A query that was answered. */
export interface QueryRun {
  readonly project: string;
  readonly base: string;
  readonly cost: ReadCost;
  readonly ms: number;
  /** Gives the query. Call it only if it is needed: a large one is read again. */
  readonly query: () => Query | Promise<Query>;
}

/** Is told of a query before its answer is sent. A promise delays the answer. */
export type OnQuery = (run: QueryRun) => Promise<void> | undefined;
