import { setTimeout as wait } from 'node:timers/promises';
import { checkAnswer, type Operation, WrongAnswer } from '../load/operation.js';
import { median } from '../results/measurement.js';
import type { Bench, Instance } from './bench.js';

/**
 * Measures the time from the start of the command to the first right answer, on the data of the instance. The instance
 * is stopped for this and runs again afterwards.
 */
export async function measureStart(bench: Bench, workload: string, instance: Instance): Promise<Instance> {
  const { contender, folder, name } = instance;
  const rounds: number[] = [];
  let running = instance.running;
  for (let round = 0; round < bench.options.rounds; round++) {
    await running.stop();
    const began = performance.now();
    running = await contender.start(folder);
    if (contender.items?.get !== undefined && workload !== 'start empty') {
      await firstRightAnswer(running.url, contender.items.get);
    }
    rounds.push(performance.now() - began);
  }
  running.pause();
  bench.record({ workload, contender: name, connections: 0, unit: 'ms', value: median(rounds), rounds });
  return { ...instance, running };
}

const timeoutMs = 60_000;
const pollIntervalMs = 2;

/** Some servers answer with an error until they have read their data. */
async function firstRightAnswer(url: string, get: Operation): Promise<void> {
  const began = performance.now();
  for (;;) {
    try {
      await checkAnswer(url, get, 0);
      return;
    } catch (cause) {
      if (!(cause instanceof WrongAnswer) || performance.now() - began > timeoutMs) throw cause;
      await wait(pollIntervalMs);
    }
  }
}
