import { hotKey, type ItemOperationName, type ItemOperations } from '../contenders/contender.js';
import type { KeyChoice } from '../load/load.js';
import { checkAnswer, type Operation, WrongAnswer } from '../load/operation.js';
import type { Measurement } from '../results/measurement.js';
import { alone, type Bench, type Entrant } from './bench.js';
import { type Heat, rotate } from './rotation.js';

/** One of the loads on items: which operations in which shares, over which keys. */
interface ItemLoad {
  readonly workload: string;
  readonly mix: readonly { readonly weight: number; readonly operation: ItemOperationName }[];
  readonly keys: 'random' | 'fresh';
  readonly itemsPerRequest?: number;
}

const all = (operation: ItemOperationName) => [{ weight: 100, operation }];

export const itemLoads: readonly ItemLoad[] = [
  { workload: 'get', mix: all('get'), keys: 'random' },
  { workload: 'put', mix: all('put'), keys: 'random' },
  { workload: 'put 25', mix: all('put25'), keys: 'random', itemsPerRequest: 25 },
  { workload: 'insert', mix: all('insert'), keys: 'fresh' },
  { workload: 'increment one hot item', mix: all('increment'), keys: 'random' },
  {
    workload: 'mixed 90/10',
    mix: [
      { weight: 90, operation: 'get' },
      { weight: 10, operation: 'put' },
    ],
    keys: 'random',
  },
];

/** Loads every entrant that offers it, at every number of connections. */
export async function runItemLoad(
  bench: Bench,
  { workload, mix, keys, itemsPerRequest = 1 }: ItemLoad,
  entrants: readonly Entrant[],
): Promise<void> {
  const heats: Heat[] = [];
  for (const entrant of entrants) {
    const operations = entrant.contender.items;
    const used = mix.map(({ weight, operation }) => ({ weight, operation: operations?.[operation] }));
    if (operations === undefined || !used.every(isOffered)) continue;
    for (const { operation } of mix) await checkItems(bench, entrant, operations, operation);
    heats.push({
      entrant,
      requests: used.map(({ weight, operation }) => ({ weight, request: operation.request })),
      keys: keyChoice(keys, bench.options.items),
    });
  }
  if (heats.length === 0) return;
  const unit: Measurement['unit'] = itemsPerRequest === 1 ? 'requests/s' : 'items/s';
  for (const connections of bench.options.connections) {
    const value = (result: { requests: number; seconds: number }) =>
      (result.requests * itemsPerRequest) / result.seconds;
    await rotate(bench, { workload, connections, unit, value }, heats);
  }
}

function isOffered(one: {
  weight: number;
  operation: Operation | undefined;
}): one is { weight: number; operation: Operation } {
  return one.operation !== undefined;
}

function keyChoice(keys: ItemLoad['keys'], items: number): KeyChoice {
  return keys === 'fresh' ? { kind: 'fresh', from: 0 } : { kind: 'random', below: items };
}

/** Before anything is measured: one right answer, and what was stored is there. */
export async function checkItems(
  bench: Bench,
  entrant: Entrant,
  operations: ItemOperations,
  name: ItemOperationName,
): Promise<void> {
  const { get, put } = operations;
  const operation = operations[name];
  if (operation === undefined) return;
  const first = name === 'insert' ? bench.freshKeys() : 0;
  const stores = name === 'put' || name === 'put25' || name === 'insert';
  await alone(entrant, async () => {
    if (name === 'increment' && put !== undefined) await check(entrant, put, hotKey);
    await check(entrant, operation, first);
    if (stores && get !== undefined) await check(entrant, get, first);
  });
}

async function check({ contender, running }: Entrant, operation: Operation, first: number): Promise<void> {
  for (let left = contender.retries ?? 0; ; left--) {
    try {
      return await checkAnswer(running.url, operation, first);
    } catch (error) {
      if (!(error instanceof WrongAnswer) || left === 0) throw error;
    }
  }
}
