import { NoAnswer } from './client.js';
import { type Finding, lost } from './model.js';

/** How often something has happened that all workers do at the same time. */
export interface Count {
  /** It has happened at least this often. */
  readonly acknowledged: number;
  /** Runs a step that returns whether it has happened. If there is no answer, it may have happened or not. */
  attempt(step: () => Promise<boolean>): Promise<void>;
  /** Compares a number that was read. `least` is what was acknowledged before the read began. */
  compare(found: number, least: number): Finding[];
  /** The same when nothing runs: what is in doubt has happened if it was found, and else never will. */
  resolve(found: number): Finding[];
}

/** `what` names it in findings. */
export function createCount(what: string): Count {
  let acknowledged = 0;
  /** It has happened at most this often. */
  let sent = 0;

  function compare(found: number, least: number): Finding[] {
    const text = `${what}: found ${found}, expected ${least} to ${sent}`;
    if (found < least) return [lost(text)];
    return found > sent ? [{ kind: 'doubled', text }] : [];
  }

  return {
    get acknowledged() {
      return acknowledged;
    },
    async attempt(step) {
      sent++;
      try {
        if (await step()) acknowledged++;
        else sent--;
      } catch (cause) {
        // The answer says that it did not happen.
        if (!(cause instanceof NoAnswer)) sent--;
        throw cause;
      }
    },
    compare,
    resolve(found) {
      const findings = compare(found, acknowledged);
      acknowledged = found;
      sent = found;
      return findings;
    },
  };
}
