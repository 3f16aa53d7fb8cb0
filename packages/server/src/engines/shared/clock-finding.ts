import { type Finding, failed, ok, warning } from '../../lib/finding.js';

/** The times of answers are exact to a second, and an answer may take a while. */
const usualSeconds = 5;
/** S3 stores refuse requests that are dated further away. */
const mostSeconds = 15 * 60;

/** Compares the clock of this machine with that of a store. `subject`: whose clock it is. */
export function clockFinding(subject: string, ownMs: number, otherMs: number): Finding {
  const seconds = Math.round((ownMs - otherMs) / 1000);
  const away = Math.abs(seconds);
  if (away <= usualSeconds) return ok(subject, 'in step with the clock of this machine');
  const found = `the clock of this machine is ${away.toLocaleString('en')} s ${seconds > 0 ? 'ahead' : 'behind'}`;
  const advice = 'Run an NTP client on both: expiry, keys and links follow the clock.';
  return away > mostSeconds ? failed(subject, found, advice) : warning(subject, found, advice);
}
