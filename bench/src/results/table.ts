import { find, type Measurement, type Results } from './measurement.js';

const service = 'basedrive';

/** Markdown: a row for each workload, a column for each contender, and the ratio of each figure to the service's. */
export function resultTable(results: Results): string {
  const names = [...new Set(results.measurements.map((one) => one.contender))];
  const head = ['workload', 'connections', 'unit', ...names];
  const rows = rowsOf(results).map(({ workload, connections, unit }) => {
    const own = find(results, workload, service, connections);
    const cells = names.map((name) => cell(find(results, workload, name, connections), own));
    return [workload, connections === 0 ? '' : String(connections), unit, ...cells];
  });
  return markdown(head, rows);
}

/** Markdown: the answer times and the memory, a row for each measurement. */
export function latencyTable(results: Results): string {
  const rows = results.measurements
    .filter((one) => one.p50Ms !== undefined || one.memoryMb !== undefined)
    .map((one) => [
      one.workload,
      one.connections === 0 ? '' : String(one.connections),
      one.contender,
      ...[one.p50Ms, one.p99Ms, one.p999Ms, one.maxMs].map((ms) => (ms === undefined ? '' : ms.toFixed(2))),
      ...[one.anonymousMb, one.memoryMb].map((mb) => (mb === undefined ? '' : mb.toFixed(0))),
      String(one.errors ?? ''),
    ]);
  const head = [
    'workload',
    'connections',
    'contender',
    'p50 ms',
    'p99 ms',
    'p99.9 ms',
    'longest ms',
    'anonymous MB',
    'resident MB',
    'errors',
  ];
  return markdown(head, rows);
}

export function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** A whole number from 100 on, otherwise three digits. */
export function figure(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}

function rowsOf(results: Results): Pick<Measurement, 'workload' | 'connections' | 'unit'>[] {
  const rows = new Map(
    results.measurements.map((one) => [`${one.workload} at ${one.connections}`, one] as const),
  );
  return [...rows.values()];
}

function cell(one: Measurement | undefined, own: Measurement | undefined): string {
  if (one === undefined) return '';
  const errors = one.errors === undefined ? '' : ` (${one.errors} errors)`;
  const ratio =
    own === undefined || own === one || own.value === 0 ? '' : ` (${(one.value / own.value).toFixed(2)}×)`;
  return figure(one.value) + ratio + errors;
}
