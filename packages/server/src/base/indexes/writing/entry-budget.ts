import { RequestError } from '../../../request-error.js';
import { maxEntryBytes } from '../../limits.js';
import type { UniqueRow } from '../entries/unique-rows.js';

/**
 * How many bytes the entries of one transaction may take if its caller can divide it. To decide on them and to write them
 * takes 15 to 20 ms of the event loop. A single item may have twice as many.
 */
export const partEntryBytes = 512 * 1024;

/** What an entry takes besides its key, in memory and in the storage, about. */
const overheadBytes = 100;

interface RowsToCount {
  readonly entries: readonly string[];
  readonly uniqueRows: readonly UniqueRow[];
}

/** About how many bytes the entries and unique rows of an item take. */
export function bytesOfRows({ entries, uniqueRows }: RowsToCount): number {
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
    super([problemOf()]);
  }

  /** The same, about the items at this path of the request. */
  at(path: string): RequestError {
    return new RequestError([problemOf(path)]);
  }
}

function problemOf(path?: string) {
  const most = `${maxEntryBytes} bytes of entries in indexes, each counted with ${overheadBytes} more`;
  const message = `the items together must not have more than ${most}`;
  if (path === undefined) return { code: 'too_many', message } as const;
  return { code: 'too_many', path, message: `${path}: ${message}` } as const;
}
