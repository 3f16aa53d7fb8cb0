import { type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { BulkOperation } from '../contenders/contender.js';
import { item } from '../contenders/item.js';
import { renderText } from '../load/request-template.js';
import { median } from '../results/measurement.js';
import { alone, type Bench, type Instance } from './bench.js';
import { type Highest, highestOf, watchMemory } from './memory.js';

const [bulkIn, bulkOut] = ['bulk in', 'bulk out'];
export const bulkWorkloads = [bulkIn, bulkOut];

/** Lines are sent in pieces of this many items, as a program sends them that reads a file. */
const itemsPerPiece = 200;
const newline = 0x0a;

/** Sends all items in one request, a line each, and reads all of them in one request, over one connection each. */
export async function runBulk(bench: Bench, instances: readonly Instance[]): Promise<void> {
  if (!bulkWorkloads.some(bench.wants)) return;
  const { items } = bench.options;
  const takers = instances.filter(({ contender }) => contender.bulk !== undefined);
  const pieces = [...piecesOf(items)];
  for (const instance of takers) {
    await alone(instance, async () => {
      await sendItems(instance, pieces, items);
      await checkItems(instance, items);
    });
  }
  await measure(bench, bulkIn, takers, (instance) => sendItems(instance, pieces, items));
  await measure(bench, bulkOut, takers, (instance) => readItems(instance, items));
}

/** Measures one instance after the other, and all of them again in every round. */
async function measure(
  bench: Bench,
  workload: string,
  instances: readonly Instance[],
  work: (instance: Instance) => Promise<void>,
): Promise<void> {
  if (!bench.wants(workload)) return;
  const seen = instances.map(() => ({ rates: [] as number[], memory: [] as Highest[] }));
  for (let round = 0; round < bench.options.rounds; round++) {
    for (const [index, instance] of instances.entries()) {
      await alone(instance, async () => {
        const memory = watchMemory(instance.running);
        const began = performance.now();
        await work(instance);
        seen[index]!.rates.push(bench.options.items / ((performance.now() - began) / 1000));
        seen[index]!.memory.push(memory.stop());
      });
    }
  }
  for (const [index, { name }] of instances.entries()) {
    const { rates, memory } = seen[index]!;
    bench.record({
      workload,
      contender: name,
      connections: 1,
      unit: 'items/s',
      value: median(rates),
      rounds: rates,
      ...highestOf(memory),
    });
  }
}

/** The lines of all items. */
function* piecesOf(count: number): Generator<Buffer> {
  const template = item();
  for (let first = 0; first < count; first += itemsPerPiece) {
    const keys = Array.from({ length: Math.min(itemsPerPiece, count - first) }, (_, n) => first + n);
    yield Buffer.from(keys.map((key) => `${renderText(template, key)}\n`).join(''));
  }
}

/** Stores items in one request, which are made meanwhile. */
export async function fillInBulk(instance: Instance, count: number): Promise<void> {
  await sendItems(instance, piecesOf(count), count);
}

/** @throws Error if not every item is stored */
async function sendItems(
  { contender, running }: Instance,
  pieces: Iterable<Buffer>,
  count: number,
): Promise<void> {
  const answer = await text(await exchange(running.url, contender.bulk!.in, pieces));
  const { stored } = JSON.parse(answer) as { stored: number };
  if (stored !== count) throw new Error(`${contender.name}: ${answer}, ${count} items were sent`);
}

/** @throws Error if the number of items is wrong */
async function readItems({ contender, running }: Instance, count: number): Promise<void> {
  let lines = 0;
  for await (const chunk of await exchange(running.url, contender.bulk!.out, [])) {
    const bytes = chunk as Buffer;
    for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) lines++;
  }
  if (lines !== count) throw new Error(`${contender.name} gave ${lines} of ${count} items`);
}

/** @throws Error if an item is missing, or not in the place of its key */
async function checkItems({ contender, running }: Instance, count: number): Promise<void> {
  const all = await text(await exchange(running.url, contender.bulk!.out, []));
  const keys = all
    .trimEnd()
    .split('\n')
    .map((line) => Number((JSON.parse(line) as { key: string }).key));
  const wrong = keys.findIndex((key, index) => key !== index);
  if (wrong !== -1 || keys.length !== count)
    throw new Error(`${contender.name} gave ${keys.length} of ${count} items, item ${wrong} is wrong`);
}

/** Sends a body in pieces. Resolves when the answer begins. */
async function exchange(
  url: string,
  { method, path, headers = {} }: BulkOperation,
  body: Iterable<Buffer>,
): Promise<IncomingMessage> {
  const sending = request(url + path, { method, headers });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    sending.once('response', resolve).once('error', reject);
  });
  await pipeline(Readable.from(body), sending);
  const answer = await answered;
  if (answer.statusCode === 200) return answer;
  throw new Error(`${method} ${path}: ${answer.statusCode} ${await text(answer)}`);
}
