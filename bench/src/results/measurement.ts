/** What one contender did in one workload: medians over the rounds. */
export interface Measurement {
  readonly workload: string;
  readonly contender: string;
  /** 0 where it is not a matter of connections. */
  readonly connections: number;
  /** Higher is better, but for `ms` and `MB`. */
  readonly unit: 'requests/s' | 'items/s' | 'MB/s' | 'ms' | 'MB' | 'ratio';
  readonly value: number;
  /** The value in every round. */
  readonly rounds: readonly number[];
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  readonly p999Ms?: number;
  readonly maxMs?: number;
  /** The most that it held while it worked: 10^6 bytes, resident. */
  readonly memoryMb?: number;
  /** Wrong or missing answers, all rounds together; absent when there were none. */
  readonly errors?: number;
}

/** Everything that one run saw. */
export interface Results {
  readonly takenAt: string;
  readonly node: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly loadGenerator: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** Each contender that took part, with a line about it. */
  readonly contenders: Readonly<Record<string, string>>;
  /** Each that did not, with the reason. */
  readonly missing: Readonly<Record<string, string>>;
  readonly measurements: readonly Measurement[];
}

/** The middle value; of an even number the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
}

/** The one measurement of that name, if it was taken. */
export function find(
  results: Results,
  workload: string,
  contender: string,
  connections: number,
): Measurement | undefined {
  return results.measurements.find(
    (one) => one.workload === workload && one.contender === contender && one.connections === connections,
  );
}
