import type { Random } from '../random.js';
import type { Client } from './client.js';

/**
 * One thing in the service whose every acknowledged change is known: an item, a counter, a file, an upload.
 * One worker at a time changes it, so its history is a sequence; only the last step may be in doubt after a kill.
 */
export interface Model {
  readonly name: string;
  /** The list of the service that shows its names while it exists. */
  readonly list: ModelList;
  /** Whether it exists, as far as is known: certain after `verify`. */
  readonly exists: boolean;
  /** Whether the last step may have happened or not, and may still happen. Until this is resolved, it is only read. */
  readonly isInDoubt: boolean;
  /** Does one operation. Throws `NoAnswer` when there was no answer; the step is then in doubt. */
  act(client: Client, random: Random): Promise<void>;
  /**
   * Reads it while other workers write. It must show what was acknowledged, or the step in doubt, which then counts as
   * done.
   */
  observe(client: Client): Promise<readonly Finding[]>;
  /** Compares what the service stores, when nothing runs, with what was acknowledged. Nothing is in doubt afterwards. */
  verify(client: Client): Promise<readonly Finding[]>;
}

export interface ModelList {
  readonly kind: 'items' | 'files';
  /** The name of the base or the drive. */
  readonly store: string;
  /** The keys of its items or the name of the file. */
  readonly names: readonly string[];
}

/** What the service did wrong with something that it had acknowledged. */
export interface Finding {
  readonly kind: 'lost' | 'doubled';
  readonly text: string;
}

export function lost(text: string): Finding {
  return { kind: 'lost', text };
}

/** An answer that no state of the model allows, such as a 500. */
export class WrongAnswer extends Error {
  override readonly name = 'WrongAnswer';

  constructor(
    message: string,
    /** `lost` if the answer says that something acknowledged is missing. */
    readonly kind: 'wrong' | 'lost' = 'wrong',
  ) {
    super(message);
  }
}

/** @throws WrongAnswer if the status is none of those allowed */
export function expectStatus(what: string, status: number, ...allowed: readonly number[]): void {
  if (!allowed.includes(status))
    throw new WrongAnswer(`${what}: ${status}, expected ${allowed.join(' or ')}`);
}

/** A state that is known, or one of two states while the last step is in doubt. */
export interface KnownState<T> {
  readonly current: T;
  readonly isInDoubt: boolean;
  /** Runs `step`, which makes the state `next`. The state is known if `step` returns, and in doubt if it throws. */
  advance(next: T, step: () => Promise<void>): Promise<void>;
  /** Whether what was read is the current state or that of the step in doubt, which then counts as done. */
  observe(matches: (state: T) => boolean): boolean;
  /** The same when nothing runs: a step in doubt that has not happened by now never will. */
  resolve(matches: (state: T) => boolean): boolean;
}

export function knownState<T>(start: T): KnownState<T> {
  let current = start;
  let inDoubt: { next: T } | undefined;

  function observe(matches: (state: T) => boolean): boolean {
    if (matches(current)) return true;
    if (inDoubt === undefined || !matches(inDoubt.next)) return false;
    current = inDoubt.next;
    inDoubt = undefined;
    return true;
  }

  return {
    get current() {
      return current;
    },
    get isInDoubt() {
      return inDoubt !== undefined;
    },
    observe,
    async advance(next, step) {
      inDoubt = { next };
      await step();
      current = next;
      inDoubt = undefined;
    },
    resolve(matches) {
      const fits = observe(matches);
      if (fits) inDoubt = undefined;
      return fits;
    },
  };
}
