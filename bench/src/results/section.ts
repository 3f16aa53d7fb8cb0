import type { Results } from './measurement.js';
import { latencyTable, resultTable } from './table.js';
import { targetTable } from './targets.js';

/** What one run has to say, in Markdown: the machine, the targets, every figure. */
export function resultsSection(results: Results): string {
  const { node, cores, memoryGb, loadGenerator, takenAt, contenders, missing } = results;
  return [
    `Taken on ${takenAt.slice(0, 10)}: ${cores} cores, ${memoryGb} GB of memory, Node ${node}, load by ${loadGenerator}, ` +
      `${results.options.rounds} rounds of ${results.options.seconds} s.`,
    // A smoke test judges no time.
    ...(results.options.quick === true ? [] : ['### Targets', targetTable(results)]),
    '### Every figure',
    'Medians of the rounds; in parentheses the ratio to the service.',
    resultTable(results),
    '### Answer times and memory',
    latencyTable(results),
    '### Who took part',
    [
      ...Object.entries(contenders).map(([name, about]) => `- **${name}**: ${about}`),
      ...Object.entries(missing).map(([name, reason]) => `- ${name}: left out (${reason})`),
    ].join('\n'),
  ].join('\n\n');
}
