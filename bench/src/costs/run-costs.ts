import { setTimeout as wait } from 'node:timers/promises';
import { checkAnswer } from '../load/operation.js';
import { median } from '../results/measurement.js';
import { markdown } from '../results/table.js';
import type { Bench } from '../workloads/bench.js';
import { type Cost, costs, type Pair, type Side } from './costs.js';

/** The server is to be busy, and no request is to wait long for others. */
const connections = 64;
const pauseMs = 100;

/** What a request costs on one side of a pair. */
interface Figures {
  /** The server's processor time for a request; undefined if the system does not report it. */
  readonly cpuMicroseconds: number | undefined;
  readonly perSecond: number;
}

/**
 * Measures what features cost the requests that use them, and prints a table. The two sides of a pair are loaded in turn,
 * again and again, so that what slows the machine down slows both.
 */
export async function runCosts(bench: Bench): Promise<void> {
  const rows: string[][] = [];
  for (const cost of costs.filter(({ name }) => bench.wants(name))) rows.push(await rowOf(bench, cost));
  if (rows.length === 0) throw new Error('--only: no cost has such a name');
  const head = ['cost of', 'processor time', 'requests/s', 'at most'];
  console.log(markdown(head, rows));
}

async function rowOf(bench: Bench, cost: Cost): Promise<string[]> {
  const pair = await cost.open(bench);
  try {
    const { cpu, rate } = await ratiosOf(bench, pair);
    const row = [cost.name, spread(cpu), spread(rate), `${cost.bound} ×`];
    bench.note(row.join(': '));
    return row;
  } finally {
    for (const running of serversOf(pair)) await running.stop();
  }
}

/** How many times as much a request costs with the feature, in each round. */
async function ratiosOf(bench: Bench, pair: Pair): Promise<{ cpu: number[]; rate: number[] }> {
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

async function measure(bench: Bench, { running, operation }: Side): Promise<Figures> {
  running.resume();
  try {
    await checkAnswer(running.url, operation, 0);
    const before = running.cpuSeconds();
    const result = await bench.load({
      url: running.url,
      connections,
      seconds: bench.options.seconds,
      keys: { kind: 'random', below: bench.options.items },
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

function serversOf(pair: Pair) {
  return new Set([pair.without.running, pair.with.running]);
}

/** The median, and the quarters of the rounds below and above it. */
function spread(ratios: readonly number[]): string {
  if (ratios.length === 0) return 'unknown';
  const sorted = ratios.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.round((sorted.length - 1) * share)] ?? Number.NaN).toFixed(3);
  return `${median(sorted).toFixed(3)} × (${at(0.25)} to ${at(0.75)})`;
}
