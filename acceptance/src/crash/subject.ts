import type { Client } from './client.js';
import type { Random } from './random.js';

/**
 * A thing in the service whose every acknowledged change is known: an item, a counter, a file, an upload.
 * One worker acts on it at a time, so its history is a line; only the last step may be in doubt after a kill.
 */
export interface Subject {
  readonly name: string;
  /** One operation. Throws `NoAnswer` when the server went away; the step is then in doubt. */
  act(client: Client, random: Random): Promise<void>;
  /** What the service now holds against what was acknowledged; settles what was in doubt. Gives the losses. */
  check(client: Client): Promise<readonly string[]>;
}

/** An answer that no state of the subject allows; a 5xx above all. */
export class WrongAnswer extends Error {
  override readonly name = 'WrongAnswer';
}

export function expectStatus(what: string, status: number, ...allowed: readonly number[]): void {
  if (!allowed.includes(status))
    throw new WrongAnswer(`${what}: ${status}, expected ${allowed.join(' or ')}`);
}

/** A state that is known, or one of two while the last step is in doubt. */
export interface Known<T> {
  readonly current: T;
  /** Does `step`, which makes the state `next`: known when it was answered, in doubt when it throws. */
  advance(next: T, step: () => Promise<void>): Promise<void>;
  /** Compares with what was found, and goes on from there. False: it is neither. */
  settle(matches: (state: T) => boolean): boolean;
}

export function known<T>(start: T): Known<T> {
  let current = start;
  let doubtful: { next: T } | undefined;
  return {
    get current() {
      return current;
    },
    async advance(next, step) {
      doubtful = { next };
      await step();
      current = next;
      doubtful = undefined;
    },
    settle(matches) {
      if (matches(current)) {
        doubtful = undefined;
        return true;
      }
      if (doubtful === undefined || !matches(doubtful.next)) return false;
      current = doubtful.next;
      doubtful = undefined;
      return true;
    },
  };
}
