import type { Steps } from '../../lib/concurrency/time-slices.js';
import { pageBytes } from '../limits.js';
import { createItemList } from '../pages/item-list.js';
import { writeCursor } from '../query/cursor.js';
import { FirstCandidates } from '../query/first-candidates.js';
import type { AggregateRequest } from './aggregate-body.js';
import type { CellResult } from './cells.js';
import type { Group } from './groups.js';

const groupsPerStep = 64;

/** Writes the answer: a page of the groups in their order, or the only result (docs/http.md#aggregates). */
export function* aggregateAnswer(
  request: AggregateRequest,
  groups: ReadonlyMap<string, Group>,
): Steps<Buffer> {
  const members = request.aggregates.map(({ name }) => JSON.stringify(name));
  if (request.columns.length === 0) {
    const [only] = groups.values();
    return Buffer.from(`{${resultsOf(members, only as Group, resultsIn(only as Group))}}`);
  }
  const { order, limit, after } = request;
  const names = request.columnNames.map((name) => JSON.stringify(name));
  const first = new FirstCandidates(order, { limit, maxBytes: pageBytes, needed: 1 });
  let count = 0;
  for (const group of groups.values()) {
    if (++count % groupsPerStep === 0) yield;
    const results = resultsIn(group);
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

function resultsIn(group: Group): readonly CellResult[] {
  return group.cells.map(({ result }) => result);
}

function valuesOf(names: readonly string[], { values }: Group): string {
  return names.flatMap((name, n) => (values[n] === '' ? [] : [`${name}:${values[n]}`])).join();
}

/** The results of a group by their names, and what is to be known of them. */
function resultsOf(names: readonly string[], { cells }: Group, results: readonly CellResult[]): string {
  const members = names.map((name, n) => `${name}:${results[n]?.json ?? 'null'}`);
  const skipped = names.flatMap((name, n) => (cells[n]?.skipped ? [`${name}:${cells[n].skipped}`] : []));
  if (skipped.length > 0) members.push(`"skipped":{${skipped.join()}}`);
  if (results.some(({ isExact }) => !isExact)) members.push('"exact":false');
  return members.join();
}
