import { setTimeout as wait } from 'node:timers/promises';
import { checkAnswer, type Operation, WrongAnswer } from '../load/operation.js';
import { median } from '../results/measurement.js';
import type { Bench, Entrant } from './bench.js';

/**
 * From the start of the command to the first right answer, on the data that the entrant holds. The entrant, which
 * is stopped for it, runs again afterwards.
 */
export async function measureStart(bench: Bench, workload: string, entrant: Entrant): Promise<Entrant> {
  const { contender, folder, name } = entrant;
  const rounds: number[] = [];
  let running = entrant.running;
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
  return { ...entrant, running };
}

const limitMs = 60_000;
const askEveryMs = 2;

/** Some answer before they have read their data, and say so. */
async function firstRightAnswer(url: string, get: Operation): Promise<void> {
  const began = performance.now();
  for (;;) {
    try {
      await checkAnswer(url, get, 0);
      return;
    } catch (cause) {
      if (!(cause instanceof WrongAnswer) || performance.now() - began > limitMs) throw cause;
      await wait(askEveryMs);
    }
  }
}
