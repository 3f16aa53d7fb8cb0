import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TransactOptions } from '../../../engines/item-store.js';
import { TooMuchRead } from '../../../engines/storage-errors.js';
import { badField, type RequestError } from '../../../request-error.js';
import { maxEntryBytes, maxTransactionBytes } from '../../limits.js';
import { EntriesTooLarge, partEntryBytes } from './entry-budget.js';

/** What bounds one transaction of items. */
export interface Bounds extends TransactOptions {
  /** If several items change and have more bytes of entries in indexes, it throws `EntriesTooLarge`. */
  readonly maxEntryBytes: number;
}

/**
 * A transaction that its caller can divide. To read its 4 MiB takes 4 to 10 ms of the event loop. A single item fits:
 * itself, and those that have the values which it takes in `maxIndexes` unique indexes.
 */
export const ofPart: Bounds = { maxEntryBytes: partEntryBytes, maxReadBytes: 4 * 1024 * 1024 };

/** Other rows than those of items, and what the storage adds to each row. */
const besidesItemsBytes = 64 * 1024;
/** A transaction that its caller can not divide. */
export const ofWhole: Bounds = { maxEntryBytes, maxReadBytes: maxTransactionBytes + besidesItemsBytes };

/** What a client is told of `TooMuchRead`: it is about the items at this path of the request. */
export function tooMuchStored(path: string): RequestError {
  const rule = `the stored items that they read or replace have more than ${maxTransactionBytes} bytes together`;
  return badField(path, 'too_large', rule);
}

/**
 * Changes all of a list with as few calls of `change`, one after the other, as its `EntriesTooLarge` and `TooMuchRead` allow.
 * Resolves to what they resolve to. Each call reads the header first, and then the rows of its part in their order. Other
 * requests have a turn between two parts.
 */
export async function inParts<T, R>(
  all: readonly T[],
  change: (part: readonly T[]) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  let size = all.length;
  /** How many parts of one size must fit before a larger one is tried. It doubles whenever one does not fit. */
  let patience = 1;
  let ofThisSize = 0;
  for (let start = 0; start < all.length; ) {
    const part = all.slice(start, start + size);
    try {
      results.push(await change(part));
      start += part.length;
      // One heavy item must not make a commit of each that follows it.
      if (++ofThisSize >= patience) {
        size *= 2;
        ofThisSize = 0;
      }
      if (start < all.length) await nextTurn();
    } catch (cause) {
      size = fitsOf(part.length, cause);
      patience *= 2;
      ofThisSize = 0;
    }
  }
  return results;
}

/** How many of a part fit into one call. Throws any other error. */
function fitsOf(length: number, cause: unknown): number {
  if (cause instanceof EntriesTooLarge) return cause.fits;
  if (!(cause instanceof TooMuchRead) || length === 1) throw cause;
  const fits = Math.max(1, cause.fits - 1);
  // Else the items fit, but not with what else must be read of them.
  return fits < length ? fits : Math.floor(length / 2);
}
