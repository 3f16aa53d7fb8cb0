import { isExpired } from '../base/expiry.js';
import { type FileRow, nameKey } from '../drive/rows.js';
import type { TextRow } from '../engines/item-store.js';
import { baseSpace, driveSpace } from '../spaces.js';

/** What the catalog knows of bases or of drives: their spaces, and which of the rows are what they contain. */
export interface Collection {
  readonly spaceOf: (project: string, name: string) => string;
  /** The rows of items or of files begin with it. */
  readonly prefix: string;
  /** The bytes that an item or a file counts; undefined for one that has expired. */
  readonly bytesOf: (row: TextRow, nowSeconds: number) => number | undefined;
}

/** An item counts its stored JSON. */
export const bases: Collection = {
  spaceOf: baseSpace,
  prefix: '',
  bytesOf: ({ text }, nowSeconds) => (isExpired(text, nowSeconds) ? undefined : Buffer.byteLength(text)),
};

/** A file counts its contents. A drive has other rows, too: open uploads, and what no longer has a name. */
export const drives: Collection = {
  spaceOf: driveSpace,
  prefix: nameKey(''),
  bytesOf: ({ text }) => (JSON.parse(text) as FileRow).sizeBytes,
};
