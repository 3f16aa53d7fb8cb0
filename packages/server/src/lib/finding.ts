/** What `doctor` says about one thing. */
export interface Finding {
  /** What was looked at: `disk sync`. */
  readonly subject: string;
  readonly verdict: 'ok' | 'warning' | 'failed';
  /** What was found, with its figure. */
  readonly found: string;
  /** What the operator should do; undefined if nothing. */
  readonly advice?: string;
}

export function ok(subject: string, found: string): Finding {
  return { subject, verdict: 'ok', found };
}

export function warning(subject: string, found: string, advice: string): Finding {
  return { subject, verdict: 'warning', found, advice };
}

export function failed(subject: string, found: string, advice: string): Finding {
  return { subject, verdict: 'failed', found, advice };
}
