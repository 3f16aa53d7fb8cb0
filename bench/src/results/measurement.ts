/** The result of one contender in one workload: medians over the rounds. */
export interface Measurement {
  readonly workload: string;
  readonly contender: string;
  /** 0 if the number of connections does not matter. */
  readonly connections: number;
  /** Higher is better, except for `ms` and `MB`. */
  readonly unit: 'requests/s' | 'items/s' | 'MB/s' | 'ms' | 'MB' | 'ratio';
  readonly value: number;
  /** The value in every round. */
  readonly rounds: readonly number[];
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  readonly p999Ms?: number;
  readonly maxMs?: number;
  /** The highest resident memory during the work, in 10^6 bytes. */
  readonly memoryMb?: number;
  /** The highest anonymous memory: without mapped files, which the kernel may drop. */
  readonly anonymousMb?: number;
  /** The number of wrong or missing answers in all rounds; absent if there were none. */
  readonly errors?: number;
}

/** Everything that one run measured. */
export interface Results {
  readonly takenAt: string;
  readonly node: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly loadGenerator: string;
  /** What was typed; absent in results of older versions. */
  readonly command?: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** A line about each contender that took part. */
  readonly contenders: Readonly<Record<string, string>>;
  /** For each contender that did not take part, the reason. */
  readonly missing: Readonly<Record<string, string>>;
  readonly measurements: readonly Measurement[];
}

/** The middle value, or the mean of the two middle values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
}

/** The measurement of a contender in a workload, if there is one. */
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
