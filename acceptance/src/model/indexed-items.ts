import type { Client } from './client.js';
import { type EntriesSource, jsonOf } from './entries-model.js';
import { itemEntries } from './item-requests.js';
import type { Item } from './items.js';
import { areSame, type Entries } from './known-entries.js';
import { expectStatus, WrongAnswer } from './model.js';

const maxReads = 5;

/**
 * The same in a base with an index that every request changes. Whatever was cut off in whatever state, an ordered query
 * and a count that read the index give the items of the base, once each and in their order.
 */
export function indexedItemEntries(base: string, textSizes?: readonly number[]): EntriesSource {
  const items = itemEntries(base, textSizes);
  let isDeclared = false;
  return {
    ...items,
    async next(client, current, random) {
      if (!isDeclared) {
        const { status } = await client.send('PUT', `${base}/indexes/by-n`, { fields: ['group', 'n'] });
        expectStatus(`index of ${base}`, status, 200, 202);
        isDeclared = true;
      }
      return items.next(client, current, random);
    },
    async read(client) {
      for (let reads = 0; reads < maxReads; reads++) {
        const entries = await items.read(client);
        const problem = await indexProblem(client, base, entries);
        if (problem === undefined) return entries;
        // A request in doubt may have changed the items in the meantime.
        if (areSame(await items.read(client), entries)) throw new WrongAnswer(problem, 'lost');
      }
      throw new WrongAnswer(`${base} changes although nobody changes it`);
    },
  };
}

async function indexProblem(client: Client, base: string, entries: Entries): Promise<string | undefined> {
  const expected = [...entries.values()].map((text) => JSON.parse(text) as Item).sort(byIndex);
  const page = await client.send('POST', `${base}/query`, { order: ['group', 'n'] });
  expectStatus(`ordered query of ${base}`, page.status, 200);
  const { items } = jsonOf<{ items: Item[] }>(page);
  const keysOf = (list: readonly Item[]) => list.map(({ key }) => key).join();
  if (keysOf(items) !== keysOf(expected))
    return `${base}: the index has ${keysOf(items)}, the base ${keysOf(expected)}`;
  const counted = await client.send('POST', `${base}/query/count`, { query: { group: 0 } });
  expectStatus(`count of ${base}`, counted.status, 200);
  const { count } = jsonOf<{ count: number }>(counted);
  const inGroup = expected.filter(({ group }) => group === 0).length;
  return count === inGroup ? undefined : `${base}: the index counts ${count} items, the base has ${inGroup}`;
}

function byIndex(left: Item, right: Item): number {
  return left.group - right.group || left.n - right.n || (left.key < right.key ? -1 : 1);
}
