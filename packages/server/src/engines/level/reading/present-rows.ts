import { compareUtf8 } from '../../../lib/text/utf8-order.js';
import { notPresent, type PresentRows } from '../../item-store.js';
import { dueRange, type KeyPages } from '../cache/key-pages.js';
import { parseDueKey } from '../rows/row-encoding.js';

export interface PresentDependencies {
  readonly pages: KeyPages;
  /** The value of a row. */
  readonly read: (id: string) => Buffer | undefined;
  /** How often rows were read from the disk. */
  readonly diskReads: () => number;
  /** Whether the batch that is being written changes the row: then nobody knows whether LevelDB shows it. */
  readonly isInFlight: (id: string) => boolean;
}

/** The number of rows that may be read from the disk while all requests wait. */
const maxDiskReads = 16;
/** With more rows that are due, of all spaces, it takes longer to look than to wait. */
const maxDue = 64;

/**
 * What is in memory now. Whatever the batch that is being written changes is not present. So all of it is from one
 * moment, which is before that batch and after it.
 */
export function createPresentRows(
  start: string,
  { pages, read, diskReads, isInFlight }: PresentDependencies,
): PresentRows {
  const mostReads = diskReads() + maxDiskReads;
  return {
    get(key) {
      const id = start + key;
      if (isInFlight(id) || diskReads() >= mostReads) throw notPresent;
      return read(id);
    },

    keys({ gte, lt, reverse, limit }) {
      const found = pages.keys({ start, gte, lt, reverse }, limit);
      if (!found?.isWhole) throw notPresent;
      return found.keys;
    },

    count({ gte, lt }) {
      const { count, missing } = pages.count({ start, gte, lt, reverse: false });
      if (missing !== undefined) throw notPresent;
      return count;
    },

    isAnyDue(beforeSeconds, from) {
      const found = pages.keys(dueRange(beforeSeconds), maxDue);
      if (!found?.isWhole || found.keys.length === maxDue) throw notPresent;
      return found.keys.some((entry) => {
        const id = parseDueKey(entry).rowKey;
        return id.startsWith(start) && compareUtf8(id.slice(start.length), from) >= 0;
      });
    },
  };
}
