import { Basedrive } from 'basedrive-client';
import { basedrive } from '../contenders/basedrive.js';
import { apiKey } from '../contenders/basedrive-operations.js';
import type { Measurement } from '../results/measurement.js';
import { alone, type Bench, startInstance } from './bench.js';
import { type Highest, watchMemory } from './memory.js';

/** As many requests at a time, and as many reads for each insert, as in the benchmark that TrailBase publishes. */
const inFlight = 64;
const readsPerInsert = 10;

export const clientWorkloads = { inserts: 'inserts through the client', reads: 'reads through the client' };

interface Message {
  readonly owner: string;
  readonly room: string;
  readonly data: string;
}

/**
 * Inserts messages of a chat room and reads them by their keys, each in a request of its own through the client
 * library in Node: the workload that TrailBase publishes.
 */
export async function runClientLoad(bench: Bench): Promise<void> {
  const { clientReads } = bench.options;
  const inserts = Math.max(1, Math.round(clientReads / readsPerInsert));
  const instance = await startInstance(bench, basedrive, 'client load');
  try {
    await alone(instance, async () => {
      const messages = Basedrive(apiKey, { url: instance.running.url }).Base<Message>('messages');
      const keys: string[] = [];
      const measure = async (workload: string, count: number, one: (n: number) => Promise<void>) => {
        const memory = watchMemory(instance.running);
        const taken = await timesOf(count, one);
        bench.record(measurement(workload, taken, memory.stop()));
      };
      await measure(clientWorkloads.inserts, inserts, async (n) => {
        const message = { owner: 'AZH8mYedc1K7hrsTZgdHBA==', room: 'AZH8mYTFd5OexZn4K10jCA==' };
        keys[n] = (await messages.put({ ...message, data: `a message ${n}` })).key;
      });
      await measure(clientWorkloads.reads, clientReads, async (n) => {
        const found = await messages.get(keys[n % inserts]!);
        if (found?.data !== `a message ${n % inserts}`) throw new Error(`read ${JSON.stringify(found)}`);
      });
    });
  } finally {
    await instance.running.stop();
  }
}

interface Taken {
  readonly seconds: number;
  /** How long each took, in ascending order. */
  readonly sortedMs: Float64Array;
}

/** Does the work `count` times, as many at a time as the workload has in flight. */
async function timesOf(count: number, one: (n: number) => Promise<void>): Promise<Taken> {
  const sortedMs = new Float64Array(count);
  let next = 0;
  const client = async () => {
    while (next < count) {
      const n = next++;
      const began = performance.now();
      await one(n);
      sortedMs[n] = performance.now() - began;
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: inFlight }, client));
  return { seconds: (performance.now() - began) / 1000, sortedMs: sortedMs.sort() };
}

function measurement(workload: string, { seconds, sortedMs }: Taken, memory: Highest): Measurement {
  const value = sortedMs.length / seconds;
  const at = (share: number) => sortedMs[Math.floor((sortedMs.length - 1) * share)]!;
  const [p50Ms, p99Ms, p999Ms, maxMs] = [at(0.5), at(0.99), at(0.999), at(1)];
  return {
    workload,
    contender: 'basedrive',
    connections: inFlight,
    unit: 'requests/s',
    value,
    rounds: [value],
    ...{ p50Ms, p99Ms, p999Ms, maxMs },
    ...memory,
  };
}
