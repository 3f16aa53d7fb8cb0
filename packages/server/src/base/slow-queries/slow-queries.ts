import { shownPath } from '../items/attribute-path.js';
import { type Query, soleObject } from '../query/query-body.js';
import { helpingIndex } from './helping-index.js';
import type { OnQuery, QueryRun } from './query-run.js';

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
    keepLast(
      known,
      id,
      {
        ...shape,
        times: (before?.times ?? 0) + 1,
        endedMs: monotonicMs(),
        maxMs: Math.max(before?.maxMs ?? 0, ms),
        items: cost.items,
        index: cost.index,
        suggestion: cost.index === undefined ? helpingIndex(asked) : undefined,
      },
      maxQueries,
    );
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

/** Puts an entry at the end. If there are too many, the first one goes. */
function keepLast<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= most) return;
  const [first = ''] = map.keys();
  map.delete(first);
}
