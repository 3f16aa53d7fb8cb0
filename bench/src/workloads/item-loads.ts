import { hotKey, type ItemOperationName, type ItemOperations } from '../contenders/contender.js';
import type { KeyChoice } from '../load/load.js';
import { checkAnswer, type Operation, WrongAnswer } from '../load/operation.js';
import { render } from '../load/request-template.js';
import { send } from '../load/send.js';
import type { Measurement } from '../results/measurement.js';
import { alone, type Bench, type Instance } from './bench.js';
import { type InstanceLoad, measureInRotation } from './rotation.js';

/** A load on items: its operations with their shares, and how keys are chosen. */
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
  { workload: 'increment one hot item', mix: all('increment'), keys: 'random' },
  { workload: 'transaction', mix: all('transaction'), keys: 'random' },
  {
    workload: 'mixed 90/10',
    mix: [
      { weight: 90, operation: 'get' },
      { weight: 10, operation: 'put' },
    ],
    keys: 'random',
  },
];

/** A base grows as fast as its server inserts: what depends on the number of its items is measured before. */
export const growingLoads: readonly ItemLoad[] = [{ workload: 'insert', mix: all('insert'), keys: 'fresh' }];

/** Measures those loads that are wanted, each with every instance that offers its operations. */
export async function runItemLoads(
  bench: Bench,
  loads: readonly ItemLoad[],
  instances: readonly Instance[],
): Promise<void> {
  for (const load of loads) {
    if (bench.wants(load.workload)) await runItemLoad(bench, load, instances);
  }
}

/** At every number of connections. */
async function runItemLoad(
  bench: Bench,
  { workload, mix, keys, itemsPerRequest = 1 }: ItemLoad,
  instances: readonly Instance[],
): Promise<void> {
  const loads: InstanceLoad[] = [];
  for (const instance of instances) {
    const operations = instance.contender.items;
    const used = mix.map(({ weight, operation }) => ({ weight, operation: operations?.[operation] }));
    if (operations === undefined || !used.every(isOffered)) continue;
    for (const { operation } of mix) await checkItems(bench, instance, operations, operation);
    loads.push({
      instance,
      requests: used.map(({ weight, operation }) => ({ weight, request: operation.request })),
      keys: keyChoice(keys, bench.options.items),
    });
  }
  if (loads.length === 0) return;
  const unit: Measurement['unit'] = itemsPerRequest === 1 ? 'requests/s' : 'items/s';
  for (const connections of bench.connectionsFor(workload)) {
    const value = (result: { requests: number; seconds: number }) =>
      (result.requests * itemsPerRequest) / result.seconds;
    await measureInRotation(bench, { workload, connections, unit, value }, loads);
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

/** Checks one answer before anything is measured, and that what was stored can be read. */
export async function checkItems(
  bench: Bench,
  instance: Instance,
  operations: ItemOperations,
  name: ItemOperationName,
): Promise<void> {
  const { get, put } = operations;
  const operation = operations[name];
  if (operation === undefined) return;
  const first = name === 'insert' ? bench.freshKeys() : 0;
  const stores = name === 'put' || name === 'put25' || name === 'insert';
  await alone(instance, async () => {
    if (name === 'increment' && put !== undefined) await check(instance, put, hotKey);
    const before = name === 'transaction' ? await countsOf(instance, get) : undefined;
    await check(instance, operation, first);
    if (before !== undefined) await checkTransfer(instance, get, before);
    if (stores && get !== undefined) await check(instance, get, first);
  });
}

/** The counts of the first two items. */
async function countsOf({ running }: Instance, get: Operation | undefined): Promise<readonly number[]> {
  if (get === undefined) throw new Error('a transaction is checked by gets');
  const bodies = await Promise.all([0, 1].map((key) => send(running.url, render(get.request, key))));
  return bodies.map(({ body }) => (JSON.parse(body.toString()) as { count: number }).count);
}

/** @throws WrongAnswer unless 1 was moved from the first item to the second one */
async function checkTransfer(
  instance: Instance,
  get: Operation | undefined,
  [first = 0, second = 0]: readonly number[],
): Promise<void> {
  const after = await countsOf(instance, get);
  if (after[0] !== first - 1 || after[1] !== second + 1)
    throw new WrongAnswer(`${instance.name}: the counts were ${first} and ${second}, and are ${after}`);
}

async function check({ contender, running }: Instance, operation: Operation, first: number): Promise<void> {
  for (let left = contender.retries ?? 0; ; left--) {
    try {
      return await checkAnswer(running.url, operation, first);
    } catch (error) {
      if (!(error instanceof WrongAnswer) || left === 0) throw error;
    }
  }
}
