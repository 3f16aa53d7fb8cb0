import { keepLast } from '../../lib/keep-last.js';
import type { Declaration } from '../indexes/declarations/declarations.js';
import { planQuery } from '../indexes/reading/plan.js';
import { shownPath } from '../items/attribute-path.js';
import { maxIndexFields } from '../limits.js';
import type { ReadCost } from '../pages/matches-of.js';
import { isLong } from '../pages/read-query.js';
import { type Query, soleObject } from '../query/query-body.js';

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

/** A query is slow if it took this long, or has read this many items, whatever the machine. */
const slowMs = 100;
const slowItems = 10_000;
const maxProjects = 1000;
/** Of a project. */
const maxQueries = 50;
/** Of a query, more are not shown. */
const maxConditions = 20;

/** Queries that differ only in their operands. */
export interface SlowQueries {
  readonly base: string;
  readonly conditions: readonly string[];
  readonly order: readonly string[];
  readonly counted: boolean;
  readonly times: number;
  /** On the clock of `performance.now()`. */
  readonly endedMs: number;
  readonly maxMs: number;
  readonly items: number;
  readonly index: string | undefined;
  readonly suggestion: readonly string[] | undefined;
}

export interface SlowQueryLog {
  readonly onQuery: OnQuery;
  /** Those that were slow last first. */
  of(project: string): readonly SlowQueries[];
}

/**
 * Keeps what slow queries had in common (docs/http.md#activity-details): their attributes, never an operand, because that
 * is data. Up to 50 for a project, and 1,000 projects, those with the latest.
 */
export function createSlowQueryLog(monotonicMs: () => number): SlowQueryLog {
  /** By project, then by what is the same; each in the order of the latest run. */
  const projects = new Map<string, Map<string, SlowQueries>>();

  async function note({ project, base, cost, ms, query }: QueryRun): Promise<void> {
    const asked = await query();
    const shape = shapeOf(base, asked);
    const id = JSON.stringify(shape);
    const known = projects.get(project) ?? new Map<string, SlowQueries>();
    const before = known.get(id);
    keepLast(projects, project, known, maxProjects);
    const { items, index } = cost;
    const suggestion = index === undefined ? helpingIndex(asked) : undefined;
    const times = (before?.times ?? 0) + 1;
    const maxMs = Math.max(before?.maxMs ?? 0, ms);
    const found = { ...shape, times, endedMs: monotonicMs(), maxMs, items, index, suggestion };
    keepLast(known, id, found, maxQueries);
  }

  return {
    onQuery: (run) => (run.ms >= slowMs || run.cost.items >= slowItems ? note(run) : undefined),
    of: (project) => [...(projects.get(project)?.values() ?? [])].reverse(),
  };
}

function shapeOf(base: string, { required, conditions, order, count }: Query) {
  const written = soleObject(required).map(({ text }) => shownPath(text));
  const more = conditions - written.length;
  return {
    base,
    conditions: [...written.slice(0, maxConditions), ...(more > 0 ? [`${more} alternatives`] : [])],
    order: (order?.paths ?? []).map(shownPath),
    counted: count,
  };
}

/**
 * The fields of an index that would let a query read less than all items of its range, or undefined. First those that
 * must have one value, then the order; without an order, one that has a range of values.
 */
export function helpingIndex(query: Query): readonly string[] | undefined {
  // Indexes serve no other queries.
  if (!isLong(query)) return undefined;
  const { required, conditions, order, count } = query;
  const ranges = soleObject(required).flatMap(({ segments, operator, operand }) =>
    operator.valueRange === undefined ? [] : [{ path: segments.join('.'), ...operator.valueRange(operand) }],
  );
  const points = ranges.filter(({ from, to }) => from !== undefined && from === to).map(({ path }) => path);
  const columns = order?.columns.map(({ path }) => path).filter((path) => path !== 'key');
  const fields = [...new Set([...points, ...(columns ?? ranges.slice(0, 1).map(({ path }) => path))])];
  const index: Declaration = { id: '0', name: '', fields: fields.slice(0, maxIndexFields), state: 'ready' };
  if (index.fields.length === 0) return undefined;
  const plans = planQuery({ required, conditions, order, readsAll: count }, [index]);
  return plans.length === 0 ? undefined : index.fields;
}
