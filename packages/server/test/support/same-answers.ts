import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { hasWork, readDeclarations } from '../../src/base/indexes/declarations/declarations.js';
import { createEntriesOf, maintained } from '../../src/base/indexes/entries/entries.js';
import type { IndexDefinition } from '../../src/base/indexes/index-operations.js';
import { type BaseService, createBaseService } from '../../src/base/service.js';
import { headerKey, type ItemStore } from '../../src/engines/item-store.js';
import { baseSpace } from '../../src/spaces.js';
import { compareAnswers, frozen } from './index-checks.js';
import { createRandomItems, type RandomItems } from './random-items.js';
import { readPut, readTransaction } from './read-bodies.js';

const writesPerMoment = 20;
const base = 'b';
const space = baseSpace('p', base);
const indexes: Readonly<Record<string, IndexDefinition>> = {
  a: { fields: ['a'] },
  'a b': { fields: ['a', 'b'] },
  'b a c.d': { fields: ['b', 'a', 'c.d'] },
  'each t': { fields: ['t'], each: true },
  'c.d': { fields: ['c.d'] },
};

export interface AnswersRun {
  readonly seed: number;
  /** How often items are written before queries are asked. */
  readonly rounds: number;
  readonly queries: number;
}

/** Writes random items and asks random queries, with and without indexes. */
export async function sameAnswersWithIndexes(
  items: ItemStore,
  { seed, rounds, queries }: AnswersRun,
): Promise<void> {
  const random = createRandomItems(seed);
  const service = createBaseService(items, Date.now);
  const used = new Set<string>();
  for (let round = 0; round < rounds; round++) {
    for (let n = 0; n < 25; n++) await write(service, random);
    const name = Object.keys(indexes)[round];
    if (name !== undefined) await service.indexes.declare(space, name, indexes[name] as IndexDefinition);
    await settled(items);
    await entriesAreThose(items);
    for (let n = 0; n < queries; n++) {
      const query = random.query();
      const asked = await compareAnswers(items, base, query);
      for (const names of asked.used) for (const index of names.split(', ')) used.add(index);
      // The `last` of a page is valid with other conditions, too.
      const conditions = `{"${random.below(2) === 0 ? 'a' : 'b'}":${random.below(5)}}`;
      if (asked.last !== undefined && query.order !== undefined) {
        await compareAnswers(items, base, { ...query, query: conditions, last: JSON.stringify(asked.last) });
      }
    }
  }
  assert.deepEqual([...used].sort(), Object.keys(indexes).sort(), 'each index is used');
  await service.removeAll('p', base, '', () => false);
  await entriesAreThose(items);
  for (const name of Object.keys(indexes)) await service.indexes.drop(space, name);
  await settled(items);
  for await (const rows of items.scan(space)) assert.deepEqual(rows, [], 'nothing is left');
  await service.stop();
}

export interface MomentsRun {
  readonly seed: number;
  /** The number of moments at which queries are asked. */
  readonly moments: number;
  readonly queries: number;
}

/** The same at single moments, while writers at all stores change items and indexes. */
export async function sameAnswersWhileWritten(
  stores: readonly ItemStore[],
  { seed, moments, queries }: MomentsRun,
): Promise<{ withIndex: number; without: number; writes: number }> {
  const random = createRandomItems(seed);
  const services = stores.map((items) => createBaseService(items, Date.now));
  const [items] = stores;
  const [service] = services;
  if (items === undefined || service === undefined) throw new Error('no store is given');
  const asked = { withIndex: 0, without: 0, writes: 0 };
  let isOver = false;
  let declared = 0;
  const writers = services.flatMap((one, server) =>
    Array.from({ length: 4 }, async (_, writer) => {
      const own = createRandomItems(1000 * seed + 10 * server + writer);
      for (; !isOver; asked.writes++) await write(one, own);
    }),
  );
  const declarer = (async () => {
    for (let n = 0; !isOver; n++) {
      const names = Object.keys(indexes);
      const name = names[n % names.length] as string;
      const by = services[n % services.length] as BaseService;
      await by.indexes.declare(space, name, indexes[name] as IndexDefinition);
      await settled(items);
      declared++;
      if (n % 3 === 2) await by.indexes.drop(space, names[(n + 2) % names.length] as string).catch(() => {});
    }
  })();
  for (let moment = 1; moment <= moments; moment++) {
    // Else the moments could be over before there is an index, or two of them be the same.
    while (asked.writes < moment * writesPerMoment || declared < Math.min(moment, 3)) await wait(1);
    const snapshot = await items.snapshot(space);
    try {
      const then = frozen(snapshot);
      await entriesAreThose(then);
      for (let n = 0; n < queries; n++) {
        const { used } = await compareAnswers(then, base, random.query());
        if (used.size > 0) asked.withIndex++;
        else asked.without++;
      }
    } finally {
      await snapshot.close();
    }
  }
  isOver = true;
  await Promise.all([...writers, declarer]);
  for (const one of services) await one.stop();
  await entriesAreThose(items);
  return asked;
}

async function write(service: BaseService, random: RandomItems): Promise<void> {
  if (random.below(2) === 0) {
    await service.transact('p', base, readTransaction(random.operations()));
    return;
  }
  const keys = new Set(Array.from({ length: 1 + random.below(4) }, random.key));
  const puts = readPut(`{"items":[${Array.from(keys, random.item)}]}`);
  await service.putBatch('p', base, puts);
}

/** Resolves when no index of the space is built or dropped any more. */
export async function settled(items: ItemStore, of = space): Promise<void> {
  while (hasWork(readDeclarations(await items.get(of, headerKey)))) await wait(2);
}

/** Checks that the entries of each index that is ready are those of the items, and no others. */
export async function entriesAreThose(items: ItemStore): Promise<void> {
  const declarations = readDeclarations(await items.get(space, headerKey));
  const wanted = maintained(declarations).filter(({ state }) => state === 'ready');
  const entriesOf = createEntriesOf(wanted);
  const expected: string[] = [];
  const actual: string[] = [];
  const isWanted = (key: string) => wanted.some(({ id }) => key.startsWith(`${headerKey}${id}/`));
  for await (const rows of items.scanText(space)) {
    for (const { key, text } of rows) {
      if (!key.startsWith(headerKey)) expected.push(...entriesOf(key, text));
      else if (isWanted(key)) actual.push(key);
    }
  }
  assert.deepEqual(actual.sort(), expected.sort());
}
