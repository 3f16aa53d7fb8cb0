import { setTimeout as wait } from 'node:timers/promises';
import { checkAnswer } from '../load/operation.js';
import type { Running } from '../processes/server-process.js';
import type { Bench } from '../workloads/bench.js';
import type { Pair, Side } from './costs.js';

/** The server is to be busy, and no request is to wait long for others. */
const connections = 64;
const pauseMs = 100;

/** What a request costs on one side of a pair. */
interface Figures {
  /** The server's processor time for a request; undefined if the system does not report it. */
  readonly cpuMicroseconds: number | undefined;
  readonly perSecond: number;
}

/** How many times as much a request costs on the second side as on the first one, in each round. */
export interface Ratios {
  readonly cpu: readonly number[];
  readonly rate: readonly number[];
}

/** Loads the two sides in turn, again and again, so that what slows the machine down slows both. */
export async function ratiosOf(bench: Bench, pair: Pair): Promise<Ratios> {
  const cpu: number[] = [];
  const rate: number[] = [];
  for (const running of serversOf(pair)) running.pause();
  // The first rounds are a warm-up: code is still being compiled.
  const warmUps = bench.options.quick ? 0 : 2;
  for (let round = -warmUps; round < bench.options.rounds; round++) {
    const isReversed = round % 2 !== 0;
    const first = await measure(bench, isReversed ? pair.with : pair.without);
    const second = await measure(bench, isReversed ? pair.without : pair.with);
    const [plain, dearer] = isReversed ? [second, first] : [first, second];
    if (round < 0) continue;
    rate.push(plain.perSecond / dearer.perSecond);
    if (plain.cpuMicroseconds !== undefined && dearer.cpuMicroseconds !== undefined)
      cpu.push(dearer.cpuMicroseconds / plain.cpuMicroseconds);
  }
  return { cpu, rate };
}

async function measure(bench: Bench, { running, operation, below }: Side): Promise<Figures> {
  running.resume();
  try {
    await checkAnswer(running.url, operation, 0);
    const before = running.cpuSeconds();
    const result = await bench.load({
      url: running.url,
      connections,
      seconds: bench.options.seconds,
      keys: { kind: 'random', below: below ?? bench.options.items },
      requests: [{ weight: 100, request: operation.request }],
    });
    // The load ends by cutting its connections. Requests in flight finish now.
    await wait(pauseMs);
    const after = running.cpuSeconds();
    if (result.errors > 0) throw new Error(`${result.errors} wrong or missing answers`);
    return {
      perSecond: result.requests / result.seconds,
      cpuMicroseconds:
        before === undefined || after === undefined ? undefined : ((after - before) / result.requests) * 1e6,
    };
  } finally {
    running.pause();
  }
}

export function serversOf(pair: Pair): Set<Running> {
  return new Set([pair.without.running, pair.with.running]);
}
