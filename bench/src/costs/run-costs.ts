import { median } from '../results/measurement.js';
import { markdown } from '../results/table.js';
import type { Bench } from '../workloads/bench.js';
import { type Cost, costs } from './costs.js';
import { ratiosOf, serversOf } from './ratios.js';

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

/** The median, and the quarters of the rounds below and above it. */
function spread(ratios: readonly number[]): string {
  if (ratios.length === 0) return 'unknown';
  const sorted = ratios.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.round((sorted.length - 1) * share)] ?? Number.NaN).toFixed(3);
  return `${median(sorted).toFixed(3)} × (${at(0.25)} to ${at(0.75)})`;
}
