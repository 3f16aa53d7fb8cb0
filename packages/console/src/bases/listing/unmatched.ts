import { type ReadonlySignal, signal } from '@preact/signals';
import { everything } from '../query/model.js';
import { matchesOf } from './matching.js';
import type { ListingRequest } from './request.js';

/** Which rows of a listing were changed here and do not match any more. */
export interface Unmatched {
  readonly keys: ReadonlySignal<ReadonlySet<string>>;
  /**
   * Compares changed rows with the query, and marks those that do not match. `rowsOf` gives those of the keys that are rows
   * at the time: the others are gone, or were read again.
   */
  compare(
    keys: ReadonlySet<string>,
    rowsOf: (keys: ReadonlySet<string>) => ReadonlySet<string>,
  ): Promise<void>;
  /** Takes the marks from rows that are gone, or that were read again. */
  drop(keys: readonly string[]): void;
}

/** Begins without a mark. `ended` ends the comparing. */
export function createUnmatched({ base, query }: ListingRequest, ended: AbortSignal): Unmatched {
  const keys = signal<ReadonlySet<string>>(new Set());
  return {
    keys,
    async compare(changed, rowsOf) {
      if (changed.size === 0 || query === everything) return;
      const matching = await matchesOf(base, query, [...changed], ended);
      const present = rowsOf(changed);
      const others = [...keys.peek()].filter((key) => !changed.has(key));
      keys.value = new Set([...others, ...[...present].filter((key) => !matching.has(key))]);
    },
    drop(gone) {
      const left = new Set(keys.peek());
      for (const key of gone) left.delete(key);
      if (left.size < keys.peek().size) keys.value = left;
    },
  };
}
