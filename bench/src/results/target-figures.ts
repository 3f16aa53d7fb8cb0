import { countLoads } from '../workloads/range-loads.js';
import { find, type Results } from './measurement.js';

/** The number of connections at which the targets hold, unless they name another. */
export const connections = 64;
const service = 'basedrive';

/** What a figure is compared with: what is absent is the same as of the figure. */
interface Against {
  readonly contender?: string;
  readonly workload?: string;
  readonly at?: number;
}

/** The ratio of the service's figure in one workload to another figure of the run. */
export function ratio(workload: string, against: Against, at = connections) {
  return (results: Results) => {
    const own = find(results, workload, service, at)?.value;
    const other = find(
      results,
      against.workload ?? workload,
      against.contender ?? service,
      against.at ?? at,
    )?.value;
    return own === undefined || other === undefined ? undefined : own / other;
  };
}

/** A figure of the service itself. */
export function own(workload: string, field: 'value' | 'p99Ms' | 'maxMs', at = connections) {
  return (results: Results) => find(results, workload, service, at)?.[field];
}

/** How much longer the slowest of a hundred requests takes than the one in the middle. */
export function tail(workload: string) {
  return (results: Results) => {
    const seen = find(results, workload, service, connections);
    return seen?.p99Ms === undefined || seen.p50Ms === undefined ? undefined : seen.p99Ms / seen.p50Ms;
  };
}

/** The ratio of the time in the largest base to the time in the smallest base. */
export function growth(workload: string) {
  return (results: Results) => {
    const bySize = results.measurements
      .filter((one) => one.workload === workload)
      .toSorted((a, b) => sizeIn(a.contender) - sizeIn(b.contender));
    const [smallest, largest] = [bySize[0], bySize.at(-1)];
    if (smallest === undefined || largest === undefined || smallest === largest) return undefined;
    return smallest.value / largest.value;
  };
}

function sizeIn(label: string): number {
  return Number(label.replaceAll(/\D/g, ''));
}

/** The figure in the largest base. */
export function largest(workload: string) {
  return (results: Results) =>
    results.measurements
      .filter((one) => one.workload === workload)
      .toSorted((a, b) => sizeIn(b.contender) - sizeIn(a.contender))[0]?.value;
}

/** How many times as long a request of one workload takes the service as one of another. */
export function slowdown(workload: string, than: string) {
  return (results: Results) => {
    const [slower, faster] = [workload, than].map((name) => find(results, name, service, connections)?.value);
    return slower === undefined || faster === undefined ? undefined : faster / slower;
  };
}

/** The ratio of another contender's figure, such as that of the service started otherwise, to the service's. */
export function variant(workload: string, contender: string) {
  return (results: Results) => {
    const usual = find(results, workload, service, connections)?.value;
    const other = find(results, workload, contender, connections)?.value;
    return usual === undefined || other === undefined ? undefined : other / usual;
  };
}

/** Below this number of entries, a count takes as long as its request. */
const fewestEntries = 10_000;

/** The time of an entry, in µs, in each count of many entries. */
function entryTimes(results: Results): number[] {
  return countLoads
    .filter(({ entries }) => entries >= fewestEntries)
    .map(({ workload, entries }) => ({ entries, rate: find(results, workload, service, 1)?.value }))
    .flatMap(({ entries, rate }) => (rate === undefined ? [] : [1e6 / rate / entries]));
}

/** The time of an entry, in µs, where it takes longest. */
export function dearestEntry(results: Results): number | undefined {
  const times = entryTimes(results);
  return times.length === 0 ? undefined : Math.max(...times);
}

/** The greatest step up: how many times as long an entry takes as in any count of fewer entries. */
export function cliff(results: Results): number | undefined {
  const times = entryTimes(results);
  const steps = times.slice(1).map((time, index) => time / Math.min(...times.slice(0, index + 1)));
  return steps.length === 0 ? undefined : Math.max(...steps);
}

/** The highest anonymous memory of the service under any load, whatever the size of its base. */
export function highestAnonymous(results: Results): number | undefined {
  const sizes = results.measurements
    .filter((one) => one.contender === service || one.contender.endsWith(' items'))
    .map((one) => one.anonymousMb)
    .filter((size) => size !== undefined);
  return sizes.length === 0 ? undefined : Math.max(...sizes);
}
