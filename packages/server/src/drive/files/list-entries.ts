import type { ItemStore, Row, ScanRange } from '../../engines/item-store.js';

import { compareUtf8, endOfPrefix } from '../../lib/text/utf8-order.js';
import { type FileRow, folderKey, isFileExpired, nameKey, readRow } from '../rows.js';

export interface EntriesQuery {
  /** Only names that begin with this text; empty for all names. */
  readonly prefix: string;
  /** Only names that begin with this text, too: they are cut after `prefix` alone. Empty for all names. */
  readonly within: string;
  /** Only names after this one. One that a page ended with continues after all names that begin with it. */
  readonly after: string;
  /** Names are cut after the first of these texts that follows the prefix; empty: they are not cut. */
  readonly delimiter: string;
  /** The maximum number of entries, 1 or more. */
  readonly limit: number;
  /** The current time in whole seconds since 1970 UTC. Files that have expired by then are not listed. */
  readonly nowSeconds: number;
}

/** A file or the marker of a folder, or what several names begin with (then without `file`). */
export interface Entry {
  readonly name: string;
  readonly file?: FileRow;
}

export interface EntriesPage {
  readonly entries: readonly Entry[];
  /** Whether more entries follow. */
  readonly more: boolean;
}

/**
 * Reads a page of the files and the markers of folders, together in the order of their UTF-8 bytes. What several names
 * begin with costs one scan, whatever their number.
 */
export async function listEntries(
  items: ItemStore,
  space: string,
  { prefix, within, after, delimiter, limit, nowSeconds }: EntriesQuery,
): Promise<EntriesPage> {
  const scanned = prefix.startsWith(within) ? prefix : within;
  if (!scanned.startsWith(prefix)) return { entries: [], more: false };
  const cut = (name: string) => {
    const at = delimiter === '' ? -1 : name.indexOf(delimiter, prefix.length);
    return at === -1 ? undefined : name.slice(0, at + delimiter.length);
  };
  const cursors = [nameKey(''), folderKey('')].map(
    (root) => new Cursor(items, space, { root, prefix: scanned, limit: limit + 1, isCut: delimiter !== '' }),
  );
  const isCut = after.startsWith(prefix) && cut(after) === after;
  for (const cursor of cursors) {
    if (after !== '') cursor.start(isCut ? { gte: endOfPrefix(after) } : { gt: after });
  }
  const entries: Entry[] = [];
  for (;;) {
    const [first, second] = [await cursors[0]?.peek(), await cursors[1]?.peek()];
    const isSecond =
      first === undefined || (second !== undefined && compareUtf8(second.name, first.name) < 0);
    const found = isSecond ? second : first;
    if (found === undefined) return { entries, more: false };
    const file = readRow<FileRow>(found.value);
    const common = cut(found.name);
    if (!isFileExpired(file, nowSeconds)) {
      if (entries.length === limit) return { entries, more: true };
      entries.push(common === undefined ? { name: found.name, file } : { name: common });
      if (common !== undefined) {
        for (const cursor of cursors) cursor.skip(common);
        continue;
      }
    }
    (isSecond ? cursors[1] : cursors[0])?.next();
  }
}

const firstPageRows = 32;
const minPageRows = 4;

interface Found {
  readonly name: string;
  readonly value: Buffer;
}

/**
 * Reads the rows of names one by one, and leaves out ranges of them unread. It reads them in pages, each to its end: a
 * scan may hold a connection, so two that wait for each other would keep others waiting. A page has twice the rows that
 * were of use in the one before: where most are left out, few are read.
 */
class Cursor {
  private rows: Row[] = [];
  private at = 0;
  private isOver = false;
  private bound: ScanRange = {};
  /** The rows of the page that were of use. */
  private used = 0;
  private pageRows: number;

  constructor(
    private readonly items: ItemStore,
    private readonly space: string,
    private readonly range: {
      readonly root: string;
      readonly prefix: string;
      readonly limit: number;
      readonly isCut: boolean;
    },
  ) {
    this.pageRows = range.isCut ? Math.min(firstPageRows, range.limit) : range.limit;
  }

  /** Begins at a bound of names; undefined: after the last one that there can be. */
  start({ gt, gte }: { readonly gt?: string; readonly gte?: string | undefined }): void {
    const { root } = this.range;
    if (gt !== undefined) this.bound = { gt: root + gt };
    else if (gte !== undefined) this.bound = { gte: root + gte };
    this.isOver = gt === undefined && gte === undefined;
    this.rows = [];
    this.at = 0;
  }

  async peek(): Promise<Found | undefined> {
    const { root, prefix } = this.range;
    if (this.at === this.rows.length && !this.isOver) {
      this.rows = [];
      this.at = 0;
      const limit = this.pageRows;
      const range = { prefix: root + prefix, ...this.bound, limit };
      for await (const batch of this.items.scan(this.space, range)) this.rows.push(...batch);
      const last = this.rows.at(-1);
      if (last === undefined || this.rows.length < limit) this.isOver = true;
      else this.bound = { gt: last.key };
      this.used = 0;
    }
    const row = this.rows[this.at];
    return row && { name: row.key.slice(root.length), value: row.value };
  }

  next(): void {
    this.at++;
    this.endRow();
  }

  private endRow(): void {
    this.used++;
    if (this.at === this.rows.length)
      this.pageRows = Math.min(this.range.limit, Math.max(minPageRows, 2 * this.used));
  }

  /** Leaves out all names that begin with this text. */
  skip(prefix: string): void {
    const { root } = this.range;
    const before = this.at;
    while (this.rows[this.at]?.key.startsWith(root + prefix)) this.at++;
    if (this.at > before) this.endRow();
    const isBeyond = this.at === this.rows.length && this.at > before;
    if (isBeyond && !this.isOver) this.start({ gte: endOfPrefix(prefix) });
  }
}
