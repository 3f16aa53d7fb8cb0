export interface FuzzReport {
  bad: number;
  /** Valid requests that were answered correctly. */
  good: number;
  connections: number;
  /** The number of answers by status. */
  readonly statuses: Map<number, number>;
  /** Violations of the contract. The run ends when there are many. */
  readonly violations: string[];
  /** The resident memory of the server: after the warm-up, and the highest and the last value after it. */
  warmMiB: number;
  peakMiB: number;
  lastMiB: number;
}

export function emptyReport(): FuzzReport {
  return {
    bad: 0,
    good: 0,
    connections: 0,
    statuses: new Map(),
    violations: [],
    warmMiB: 0,
    peakMiB: 0,
    lastMiB: 0,
  };
}

export function noteStatus({ statuses }: FuzzReport, status: number): void {
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
}

/** `bytes`: what was sent. */
export function noteViolation({ violations }: FuzzReport, what: string, bytes?: Buffer): void {
  const shown = bytes === undefined ? '' : JSON.stringify(bytes.subarray(0, 1500).toString('latin1'));
  violations.push(`${what}\n    sent: ${shown}`);
}
