import { badField, RequestError } from '../../../request-error.js';
import { maxEntryBytes } from '../../limits.js';
import type { UniqueRow } from '../entries/unique-rows.js';

/**
 * How many bytes the entries of one transaction may take if its caller can divide it. To decide on them and to write them
 * takes 15 to 20 ms of the event loop. A single item may have twice as many.
 */
export const partEntryBytes = 512 * 1024;

/** What an entry takes besides its key, in memory and in the storage, about. */
const overheadBytes = 100;

/** The rows that an item has in the indexes of its base. */
export interface IndexRows {
  /** The keys of its entries. */
  readonly entries: readonly string[];
  readonly uniqueRows: readonly UniqueRow[];
}

/** About how many bytes the entries and unique rows of an item take. */
export function bytesOfRows({ entries, uniqueRows }: IndexRows): number {
  let bytes = 0;
  for (const entry of entries) bytes += entry.length + overheadBytes;
  for (const { row } of uniqueRows) bytes += row.length + overheadBytes;
  return bytes;
}

/**
 * The items of a transaction have more entries in indexes than it may change: the 400 of docs/http.md#indexes-of-lists.
 * Nothing was changed. Its first `fits` changes, one or more, would not be too many.
 */
export class EntriesTooLarge extends RequestError {
  constructor(readonly fits: number) {
    super([{ code: 'too_many', message: tooManyEntries }]);
  }

  /** The same, about the items at this path of the request. */
  at(path: string): RequestError {
    return badField(path, 'too_many', tooManyEntries);
  }
}

const tooManyEntries = `the items together must not have more than ${maxEntryBytes} bytes of entries in indexes, each counted with ${overheadBytes} more`;
