import { isDeepStrictEqual } from 'node:util';
import type { Random } from '../random.js';
import type { Reply } from './client.js';
import { type EntriesRequest, type EntriesSource, jsonOf } from './entries-model.js';
import { groups, type Item, type ItemChoice, itemOf, putOf, randomExpiry, randomItem } from './items.js';
import { afterSteps, type Entries, type EntryChange } from './known-entries.js';
import { expectStatus, WrongAnswer } from './model.js';
import { transactionOn } from './transaction-requests.js';

const ndjson = { 'Content-Type': 'application/x-ndjson' };

/**
 * The items of a base under the requests that change several: imports, updates and deletes by query, Delete All Items,
 * transactions. With items of 20 KB, an import or an update by query takes several batches.
 */
export function itemEntries(base: string, textSizes: readonly number[] = [10, 100, 20_000]): EntriesSource {
  const keys = Array.from({ length: 28 }, (_, n) => `k${String(n).padStart(2, '0')}`);
  const choice = { base, keys, textSizes };
  return {
    kind: 'items',
    store: base,
    async next(_client, current, random) {
      const kind = random.int(12);
      if (kind < 3) return importItems(choice, current, random, 'PUT');
      if (kind < 5) return importItems(choice, current, random, 'POST');
      if (kind < 7) return updateByQuery(choice, current, random);
      if (kind < 8) return deleteByQuery(choice, current, random);
      return kind < 11 ? transactionOn(choice, current, random) : deleteAll(choice, current);
    },
    async read(client) {
      const reply = await client.send('POST', `${base}/query`, {});
      expectStatus(`query ${base}`, reply.status, 200);
      const { paging, items } = jsonOf<{ paging: { last?: string }; items: Item[] }>(reply);
      if (paging.last !== undefined) throw new WrongAnswer(`${base} has more than one page of items`);
      return new Map(items.map((item) => [item.key, JSON.stringify(item)]));
    },
  };
}

/** An import takes effect line by line, in batches: some of the first lines may be stored without the others. */
function importItems(
  choice: ItemChoice,
  current: Entries,
  random: Random,
  method: 'PUT' | 'POST',
): EntriesRequest {
  const count = 1 + random.int(choice.keys.length);
  const items = Array.from({ length: count }, () => randomItem(choice, random.pick(choice.keys), random));
  const { parameter, changeOf } = randomExpiry(random);
  const steps: EntryChange[][] = [];
  let stored = 0;
  for (const item of items) {
    const exists = afterSteps(current, steps).has(item.key);
    if (method === 'POST' && exists) continue;
    stored++;
    const change = changeOf(item);
    // What is not there stays so.
    if (exists || change.next !== undefined) steps.push([change]);
  }
  // A refused line changes nothing.
  const lines = [...items.map((item) => JSON.stringify(item)), '{"key":""}'];
  const what = `import to ${choice.base}`;
  const sums = { stored, failed: lines.length - stored };
  return {
    method,
    path: `${choice.base}/items${parameter}`,
    body: Buffer.from(lines.join('\n')),
    headers: ndjson,
    steps,
    check({ status, body }) {
      expectStatus(what, status, 200);
      expectLine(what, body.toString().trimEnd().split('\n').at(-1) ?? '', sums);
    },
  };
}

/** A set operation changes the items in the order of their keys, in batches. */
function updateByQuery({ base }: ItemChoice, current: Entries, random: Random): EntriesRequest {
  const { query, items } = chooseSet(current, random);
  return {
    method: 'POST',
    path: `${base}/query/update`,
    body: { ...query, increment: { n: 1 } },
    steps: items.map((item) => [putOf({ ...item, n: item.n + 1 })]),
    check: (reply) =>
      expectJson(`update by query in ${base}`, reply, { updated: items.length, failed: [], failed_count: 0 }),
  };
}

function deleteByQuery({ base }: ItemChoice, current: Entries, random: Random): EntriesRequest {
  const { query, items } = chooseSet(current, random);
  return {
    method: 'POST',
    path: `${base}/query/delete`,
    body: query,
    steps: items.map(({ key }) => [{ name: key, next: undefined }]),
    check: (reply) => expectJson(`delete by query in ${base}`, reply, { deleted: items.length }),
  };
}

function deleteAll({ base }: ItemChoice, current: Entries): EntriesRequest {
  const names = [...current.keys()].sort();
  return {
    method: 'DELETE',
    path: `${base}/items?all=true`,
    steps: names.map((name) => [{ name, next: undefined }]),
    check: (reply) => expectJson(`delete all of ${base}`, reply, { deleted: names.length }),
  };
}

/** A query that matches every item, those of one group, or the first few of these. */
function chooseSet(current: Entries, random: Random): { query: object; items: readonly Item[] } {
  const all = [...current.keys()].sort().map((key) => itemOf(current, key) as Item);
  if (random.int(3) === 0) return { query: { query: [], all: true }, items: all };
  const group = random.int(groups);
  const items = all.filter((item) => item.group === group);
  if (random.int(2) === 0) return { query: { query: { group } }, items };
  const limit = 1 + random.int(items.length + 1);
  return { query: { query: { group }, limit }, items: items.slice(0, limit) };
}

function expectJson(what: string, { status, body }: Reply, expected: object): void {
  expectStatus(what, status, 200);
  expectLine(what, body.toString(), expected);
}

function expectLine(what: string, line: string, expected: object): void {
  if (isDeepStrictEqual(JSON.parse(line), expected)) return;
  throw new WrongAnswer(`${what}: ${line}, expected ${JSON.stringify(expected)}`);
}
