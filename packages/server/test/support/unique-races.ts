import assert from 'node:assert/strict';
import { checkIndexes } from '../../src/base/indexes/check-indexes.js';
import type { NotUnique } from '../../src/base/indexes/declarations/not-unique.js';
import { type BaseService, createBaseService } from '../../src/base/service.js';
import type { ItemStore } from '../../src/engines/item-store.js';
import { baseSpace } from '../../src/spaces.js';
import { readInsert, readPut, readTransaction, readUpdate } from './read-bodies.js';
import { settled } from './same-answers.js';

const base = 'u';
const space = baseSpace('p', base);
const writersOfServer = 8;

/**
 * In each round, writers at all servers give one value to items of their own, each in another way. Gives how many of them
 * were answered that they did, round by round: one, each time. Meanwhile the index is built or ready. At the end the rows
 * of the index are compared with the items.
 */
export async function winnersOfRaces(stores: readonly ItemStore[], rounds: number): Promise<number[]> {
  const services = stores.map((items) => createBaseService(items, Date.now));
  const [first] = services;
  const [items] = stores;
  if (first === undefined || items === undefined) throw new Error('no store is given');
  const keys = services.flatMap((_, server) =>
    Array.from({ length: writersOfServer }, (_unused, writer) => `w${server}.${writer}`),
  );
  await first.put('p', base, readPut(`{"items":[${keys.map((key) => `{"key":"${key}"}`)}]}`));
  await first.indexes.declare(space, 'one', { fields: ['v'], unique: true });
  const winners: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const won = await Promise.all(
      keys.map((key, n) => gives(services[n % services.length] as BaseService, key, round, n)),
    );
    winners.push(won.filter(Boolean).length);
    // The winner gives it back in one round of two, so that the next value is taken over others, too.
    if (round % 2 === 0) {
      const all = keys.map((key) => `{"update":{"key":"${key}","delete":["v"]}}`);
      await first.transact('p', base, readTransaction(`{"operations":[${all}]}`));
    }
  }
  await settled(items, space);
  const [index] = await first.indexes.list(space, () => false);
  assert.equal(index?.state, winners.every((won) => won === 1) ? 'ready' : index?.state);
  const problems = [];
  for await (const problem of checkIndexes(items, space)) problems.push(problem);
  if (winners.every((won) => won === 1)) assert.deepEqual(problems, []);
  for (const service of services) await service.stop();
  return winners;
}

/** Resolves to whether the item has the value now. */
async function gives(service: BaseService, key: string, round: number, n: number): Promise<boolean> {
  const item = `{"key":"${key}","v":${round}}`;
  const ways = [
    () => service.put('p', base, readPut(`{"items":[${item}]}`)),
    () => service.update('p', base, { key, update: readUpdate(`{"set":{"v":${round}}}`) }),
    async () => {
      const { failure } = await service.transact(
        'p',
        base,
        readTransaction(`{"operations":[{"put":${item}}]}`),
      );
      if (failure !== undefined) throw failure.error;
    },
    async () => {
      const [refused] = await service.putBatch('p', base, [readInsert(`{"item":${item}}`)]);
      if (refused !== undefined) throw refused.error;
    },
  ];
  try {
    await ways[n % ways.length]?.();
    return true;
  } catch (cause) {
    const { problems } = cause as NotUnique;
    if (problems?.[0]?.code !== 'not_unique') throw cause;
    return false;
  }
}

/** A store that forgets who has a value: what guards a unique index is not read. */
export function forgetful(items: ItemStore): ItemStore {
  return {
    ...items,
    transact: (space, keys, decide) =>
      items.transact(space, keys, (rows) =>
        decide(rows.map((row, n) => (/^\0\w+!/.test(keys[n] as string) ? undefined : row))),
      ),
  };
}
