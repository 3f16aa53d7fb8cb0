import type { Grant } from '../access/grant.js';
import type { NameSet } from '../access/name-set.js';
import { itemRange } from '../base/indexes/entries/entries.js';
import { baseCounter } from '../base/indexes/writing/counted-items.js';
import { isTextRowExpired } from '../base/items/expiry.js';
import { nameCounter, trashCounter } from '../drive/counted-files.js';
import {
  type FileRow,
  folderKey,
  isFileExpired,
  keptKey,
  nameKey,
  type TrashRow,
  trashKey,
} from '../drive/rows.js';
import type { ItemStore, ScanRange, TextRow } from '../engines/item-store.js';
import type { Call } from '../http/requests/call.js';
import type { Clock } from '../lib/clock.js';
import { baseSpace, driveSpace } from '../spaces.js';

/** Who asks for the catalog. */
export interface View {
  /** What the caller may see: of these bases and drives, what begins with this prefix. */
  readonly shown: Pick<Grant, 'bases' | 'drives' | 'prefix'>;
  /** Whether the caller no longer waits. */
  readonly isAbandoned: () => boolean;
}

/** What a request shows of the catalog. */
export function viewOf(call: Call): View {
  return { shown: call.grant, isAbandoned: () => call.isAbandoned };
}

/** What the catalog reads. */
export interface CatalogRows {
  readonly items: ItemStore;
  readonly clock: Clock;
}

/** How the catalog finds the bases or the drives of a project: their spaces, and which rows are items or files. */
export interface Collection {
  readonly spaceOf: (project: string, name: string) => string;
  /** The names that a caller may see. */
  readonly namesOf: (shown: Pick<Grant, 'bases' | 'drives'>) => NameSet;
  /** The prefix of the keys of items or files. */
  readonly prefix: string;
  /** The part of a range that has items or files. */
  readonly rangeOf: (range: ScanRange) => ScanRange;
  /** Gives the size of an item or a file in bytes, or undefined if it has expired. */
  readonly bytesOf: (row: TextRow, nowSeconds: number) => number | undefined;
  /** Other rows that make the collection exist, for a caller whose key has this prefix. */
  readonly alsoIf?: (prefix: string) => readonly ScanRange[];
  /** The beginning of the keys of its counter; undefined if these rows are not counted. */
  readonly counter: string | undefined;
}

/** The size of an item is that of its stored JSON. A base also has the rows of its indexes. */
const bases: Collection = {
  spaceOf: baseSpace,
  namesOf: ({ bases }) => bases,
  prefix: '',
  rangeOf: itemRange,
  counter: baseCounter,
  bytesOf: (row, nowSeconds) => (isTextRowExpired(row, nowSeconds) ? undefined : row.bytes),
};

/**
 * The size of a file is that of its content. A drive also exists if it has only markers of folders, or if it is kept.
 * Its other rows are open uploads and garbage.
 */
const drives: Collection = {
  spaceOf: driveSpace,
  namesOf: ({ drives }) => drives,
  prefix: nameKey(''),
  rangeOf: (range) => range,
  counter: nameCounter,
  alsoIf: (prefix) => [{ prefix: folderKey(prefix) }, ...(prefix === '' ? [{ prefix: keptKey }] : [])],
  bytesOf({ text }, nowSeconds) {
    const file = JSON.parse(text) as FileRow;
    return isFileExpired(file, nowSeconds) ? undefined : file.sizeBytes;
  },
};

export const collections = { bases, drives } as const;
export type CollectionName = keyof typeof collections;

/** The files in the trash of a drive whose names begin with a text. The rows of the trash are in the order of time. */
export function trashOf(namePrefix: string): Collection {
  return {
    ...drives,
    prefix: trashKey(''),
    counter: namePrefix === '' ? trashCounter : undefined,
    bytesOf({ text }, nowSeconds) {
      const { name, sizeBytes, endsAtSeconds } = JSON.parse(text) as TrashRow;
      return endsAtSeconds > nowSeconds && name.startsWith(namePrefix) ? sizeBytes : undefined;
    },
  };
}
