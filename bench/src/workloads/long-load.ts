import { setTimeout as wait } from 'node:timers/promises';
import { basedrive } from '../contenders/basedrive.js';
import { basedriveItems } from '../contenders/basedrive-operations.js';
import type { LoadResult } from '../load/load.js';
import { checkAnswer } from '../load/operation.js';
import { median } from '../results/measurement.js';
import { alone, type Bench, startInstance } from './bench.js';
import { type Highest, watchMemory } from './memory.js';

const connections = 64;
const sliceSeconds = 10;
const probeIntervalMs = 20;

/**
 * Puts items for minutes, in slices of ten seconds, while a single client puts and gets and records the longest time
 * that it had to wait.
 */
export async function runLongLoad(bench: Bench): Promise<void> {
  const { put, get } = basedriveItems();
  const instance = await startInstance(bench, basedrive, 'long load');
  const { running } = instance;
  try {
    await alone(instance, async () => {
      const memory = watchMemory(running);
      const probe = watchForStalls(async () => {
        await checkAnswer(running.url, put, 0);
        await checkAnswer(running.url, get, 0);
      });
      const slices: LoadResult[] = [];
      for (let slice = 0; slice < Math.ceil((bench.options.longMinutes * 60) / sliceSeconds); slice++) {
        const result = await bench.load({
          url: running.url,
          connections,
          seconds: sliceSeconds,
          keys: { kind: 'random', below: bench.options.longItems },
          requests: [{ weight: 100, request: put.request }],
        });
        slices.push(result);
        bench.note(
          `${(slice + 1) * sliceSeconds} s: ${rate(result).toFixed(0)} puts/s, longest ${result.maxMs.toFixed(0)} ms`,
        );
      }
      const longestProbeMs = await probe.stop();
      report(bench, slices, longestProbeMs, memory.stop());
    });
  } finally {
    await running.stop();
  }
}

const rate = (result: LoadResult) => result.requests / result.seconds;

function report(bench: Bench, slices: readonly LoadResult[], longestProbeMs: number, memory: Highest) {
  const rates = slices.map(rate);
  const tenth = Math.max(1, Math.round(slices.length / 10));
  const errors = slices.reduce((sum, slice) => sum + slice.errors, 0);
  bench.record({
    contender: 'basedrive',
    connections,
    workload: 'long load',
    unit: 'requests/s',
    value: median(rates),
    rounds: rates,
    p50Ms: median(slices.map((slice) => slice.p50Ms)),
    p99Ms: median(slices.map((slice) => slice.p99Ms)),
    // The worst slice: a median would hide the stalls that a long load is meant to show.
    p999Ms: Math.max(...slices.map((slice) => slice.p999Ms)),
    maxMs: Math.max(longestProbeMs, ...slices.map((slice) => slice.maxMs)),
    ...memory,
    ...(errors === 0 ? {} : { errors }),
  });
  const endToStart = median(rates.slice(-tenth)) / median(rates.slice(0, tenth));
  bench.record({
    contender: 'basedrive',
    connections,
    workload: 'long load end to start',
    unit: 'ratio',
    value: endToStart,
    rounds: [endToStart],
  });
}

/** Repeats the work until `stop`, which returns the longest time that it took. */
function watchForStalls(work: () => Promise<void>): { stop(): Promise<number> } {
  let going = true;
  const run = async () => {
    let longestMs = 0;
    while (going) {
      const began = performance.now();
      await work();
      longestMs = Math.max(longestMs, performance.now() - began);
      await wait(probeIntervalMs);
    }
    return longestMs;
  };
  const running = run();
  return {
    async stop() {
      going = false;
      return await running;
    },
  };
}
