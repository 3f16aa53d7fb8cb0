import type { Results } from './measurement.js';
import { latencyTable, resultTable } from './table.js';
import { targetTable } from './targets.js';

/** What runs have to say, in Markdown: the targets over all of them, then each machine and every figure. */
export function resultsSection(runs: readonly Results[]): string {
  // A smoke test judges no time.
  const judged = runs.filter((run) => run.options.quick !== true);
  return [
    ...(judged.length === 0 ? [] : ['### Targets', targetTable(judged)]),
    ...runs.flatMap(figuresOf),
  ].join('\n\n');
}

function figuresOf(results: Results): string[] {
  const { node, cores, memoryGb, loadGenerator, takenAt, contenders, missing } = results;
  return [
    '### Every figure',
    `Taken on ${takenAt.slice(0, 10)}: ${cores} cores, ${memoryGb} GB of memory, Node ${node}, load by ${loadGenerator}, ` +
      `${results.options.rounds} rounds of ${results.options.seconds} s. Medians of the rounds; in parentheses the ratio to the service.`,
    resultTable(results),
    '#### Answer times and memory',
    latencyTable(results),
    '#### Who took part',
    [
      ...Object.entries(contenders).map(([name, about]) => `- **${name}**: ${about}`),
      ...Object.entries(missing).map(([name, reason]) => `- ${name}: left out (${reason})`),
    ].join('\n'),
  ];
}
