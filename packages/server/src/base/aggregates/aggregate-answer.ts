import type { Steps } from '../../lib/concurrency/time-slices.js';
import { pageBytes } from '../limits.js';
import { createItemList } from '../pages/item-list.js';
import { writeCursor } from '../query/cursor.js';
import { FirstCandidates } from '../query/first-candidates.js';
import type { AccumulatorResult } from './accumulators.js';
import type { AggregateRequest } from './aggregate-body.js';
import type { Group } from './groups.js';

/** To add this many numbers of different exponents takes about a millisecond. */
const costPerStep = 4096;
/** What a group costs besides its accumulators, in such additions. */
const groupCost = 64;

/** Writes the answer: a page of the groups in their order, or the only result (docs/http.md#aggregates). */
export function* aggregateAnswer(
  request: AggregateRequest,
  groups: ReadonlyMap<string, Group>,
): Steps<Buffer> {
  const members = request.aggregates.map(({ name }) => JSON.stringify(name));
  if (request.columns.length === 0) {
    const [only] = groups.values();
    return Buffer.from(
      `{${resultsOf(members, only as Group, yield* resultsIn(only as Group, { cost: 0 }))}}`,
    );
  }
  const { order, limit, after } = request;
  const names = request.columnNames.map((name) => JSON.stringify(name));
  const first = new FirstCandidates(order, { limit, maxBytes: pageBytes, needed: 1 });
  const step = { cost: 0 };
  for (const group of groups.values()) {
    step.cost += groupCost;
    const results = yield* resultsIn(group, step);
    const position = order.positionOf(group, results);
    if (after !== undefined && order.compare(position, after) <= 0) continue;
    first.offer(position, `{"group":{${valuesOf(names, group)}},${resultsOf(members, group, results)}}`);
  }
  const { hasMore } = first;
  const page = createItemList();
  const candidates = yield* first.inOrder();
  for (const { text } of candidates) page.add(text);
  const end = candidates.at(-1);
  const last = hasMore && end !== undefined ? { last: writeCursor(order, end) } : {};
  return page.finish('{"groups":[', `],"paging":${JSON.stringify({ size: page.count, ...last })}}`);
}

/** Pauses wherever what was done since the last pause costs enough: `step` counts it, from group to group. */
function* resultsIn({ accumulators }: Group, step: { cost: number }): Steps<readonly AccumulatorResult[]> {
  const results: AccumulatorResult[] = [];
  for (const accumulator of accumulators) {
    if (step.cost >= costPerStep) {
      yield;
      step.cost = 0;
    }
    step.cost += accumulator.cost;
    results.push(accumulator.result);
  }
  return results;
}

function valuesOf(names: readonly string[], { values }: Group): string {
  return names.flatMap((name, n) => (values[n] === '' ? [] : [`${name}:${values[n]}`])).join();
}

/** The results of a group by their names, and what is to be known of them. */
function resultsOf(
  names: readonly string[],
  { accumulators }: Group,
  results: readonly AccumulatorResult[],
): string {
  const members = names.map((name, n) => `${name}:${results[n]?.json ?? 'null'}`);
  const skipped = names.flatMap((name, n) =>
    accumulators[n]?.skipped ? [`${name}:${accumulators[n].skipped}`] : [],
  );
  if (skipped.length > 0) members.push(`"skipped":{${skipped.join()}}`);
  if (results.some(({ isExact }) => !isExact)) members.push('"exact":false');
  return members.join();
}
