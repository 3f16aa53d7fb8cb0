import type { Random } from '../random.js';
import type { Client } from './client.js';

/**
 * A thing in the service whose every acknowledged change is known: an item, a counter, a file, an upload.
 * One worker acts on it at a time, so its history is a line; only the last step may be in doubt after a kill.
 */
export interface Subject {
  readonly name: string;
  /** The list of the service that it shows in while it is there. */
  readonly list: SubjectList;
  /** Whether it is there, as far as is known: certain behind `check`. */
  readonly isThere: boolean;
  /** Whether a step may have happened or not, and may yet: until it is settled, it is only looked at. */
  readonly isInDoubt: boolean;
  /** One operation. Throws `NoAnswer` when the server went away; the step is then in doubt. */
  act(client: Client, random: Random): Promise<void>;
  /** One read while others act: it must show what was acknowledged, or a step in doubt, which is then settled. */
  look(client: Client): Promise<readonly Finding[]>;
  /** What the service holds at rest against what was acknowledged; settles what was in doubt. */
  check(client: Client): Promise<readonly Finding[]>;
}

export interface SubjectList {
  readonly kind: 'items' | 'files';
  /** The base or the drive. */
  readonly store: string;
  /** The key or the name. */
  readonly name: string;
}

/** What the service did to something acknowledged. */
export interface Finding {
  readonly kind: 'lost' | 'doubled';
  readonly text: string;
}

export function lost(text: string): Finding {
  return { kind: 'lost', text };
}

/** An answer that no state of the subject allows; a 5xx above all. */
export class WrongAnswer extends Error {
  override readonly name = 'WrongAnswer';

  constructor(
    message: string,
    /** `lost` where the answer says that something acknowledged is gone. */
    readonly kind: 'wrong' | 'lost' = 'wrong',
  ) {
    super(message);
  }
}

export function expectStatus(what: string, status: number, ...allowed: readonly number[]): void {
  if (!allowed.includes(status))
    throw new WrongAnswer(`${what}: ${status}, expected ${allowed.join(' or ')}`);
}

/** A state that is known, or one of two while the last step is in doubt. */
export interface Known<T> {
  readonly current: T;
  readonly isInDoubt: boolean;
  /** Does `step`, which makes the state `next`: known when it was answered, in doubt when it throws. */
  advance(next: T, step: () => Promise<void>): Promise<void>;
  /** Compares with what was found; a step in doubt is settled when it shows. False: it is neither. */
  observe(matches: (state: T) => boolean): boolean;
  /** The same at rest, when a step in doubt that does not show will never happen. */
  settle(matches: (state: T) => boolean): boolean;
}

export function known<T>(start: T): Known<T> {
  let current = start;
  let doubtful: { next: T } | undefined;

  function observe(matches: (state: T) => boolean): boolean {
    if (matches(current)) return true;
    if (doubtful === undefined || !matches(doubtful.next)) return false;
    current = doubtful.next;
    doubtful = undefined;
    return true;
  }

  return {
    get current() {
      return current;
    },
    get isInDoubt() {
      return doubtful !== undefined;
    },
    observe,
    async advance(next, step) {
      doubtful = { next };
      await step();
      current = next;
      doubtful = undefined;
    },
    settle(matches) {
      const fits = observe(matches);
      if (fits) doubtful = undefined;
      return fits;
    },
  };
}
