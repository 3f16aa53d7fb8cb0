import type { Results } from './measurement.js';
import { aboutPublished, publishedTable } from './published.js';
import { latencyTable, resultTable } from './table.js';
import { targetTable } from './targets.js';

/** The results of runs in Markdown: the targets over all of them, then the machine and the figures of each. */
export function resultsSection(runs: readonly Results[]): string {
  // A smoke test is not compared with the targets.
  const measured = runs.filter((run) => run.options.quick !== true);
  const published = publishedTable(measured);
  return [
    ...(measured.length === 0 ? [] : ['### Targets', targetTable(measured)]),
    ...(published === undefined
      ? []
      : ['### The workload that TrailBase publishes', published, aboutPublished]),
    ...runs.flatMap(figuresOf),
  ].join('\n\n');
}

function figuresOf(results: Results): string[] {
  const { node, cores, memoryGb, loadGenerator, takenAt, contenders, missing } = results;
  return [
    '### Every figure',
    ...(results.command === undefined ? [] : [`\`${results.command}\``]),
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
