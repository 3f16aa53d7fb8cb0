import type { ItemStore, ScanRange, TextRow } from '../../engines/item-store.js';
import { runInSlices, type Steps } from '../../lib/concurrency/time-slices.js';
import { compareUtf8, endOfPrefix } from '../../lib/text/utf8-order.js';
import { type FileRow, folderKey, isFileExpired, nameKey } from '../rows.js';

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
  const cursorOf = (root: string) =>
    new Cursor(items, space, { root, prefix: scanned, limit: limit + 1, isCut: delimiter !== '' });
  const [files, markers] = [cursorOf(nameKey('')), cursorOf(folderKey(''))];
  const cursors = [files, markers];
  const isCut = after.startsWith(prefix) && cut(after) === after;
  for (const cursor of cursors) {
    if (after !== '') cursor.start(isCut ? { gte: endOfPrefix(after) } : { gt: after });
  }
  const entries: Entry[] = [];

  /** Takes the rows that were read. Gives whether more entries follow, undefined if more rows must be read first. */
  function* take(): Steps<boolean | undefined> {
    for (let taken = 1; ; taken++) {
      if (files.mustRead || markers.mustRead) return undefined;
      if (taken % rowsAStep === 0) yield;
      const isMarker =
        files.name === undefined || (markers.name !== undefined && compareUtf8(markers.name, files.name) < 0);
      const first = isMarker ? markers : files;
      const { name } = first;
      if (name === undefined) return false;
      const file = first.file();
      const common = cut(name);
      if (!isFileExpired(file, nowSeconds)) {
        if (entries.length === limit) return true;
        entries.push(common === undefined ? { name, file } : { name: common });
        if (common !== undefined) {
          for (const cursor of cursors) cursor.skip(common);
          continue;
        }
      }
      first.next();
    }
  }

  for (;;) {
    for (const cursor of cursors) if (cursor.mustRead) await cursor.read(entries.length);
    const more = await runInSlices(take());
    if (more !== undefined) return { entries, more };
  }
}

/** To take a row takes 3 µs. */
const rowsAStep = 100;

const firstPageRows = 256;
const minPageRows = 4;
const maxPageRows = 1000;

/**
 * Gives the rows of names one by one, and leaves out ranges of them unread. It reads them in pages, each to its end: a
 * scan may hold a connection, so two that wait for each other would keep others waiting. A page has twice the rows that
 * were of use in the one before, and four times as many if all were: where most are left out, few are read.
 */
class Cursor {
  /** The name at which it is, once `read` has read what must be; undefined at the end. */
  name: string | undefined;
  private rows: TextRow[] = [];
  private at = 0;
  private isOver = false;
  private bound: ScanRange = {};
  /** The rows of the page that were of use. */
  private used = 0;
  private pageRows: number;
  /** How many entries the list had at the read before. */
  private listed = 0;

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
    this.moveTo(0);
  }

  /** Whether the page has come to its end and others may follow. */
  get mustRead(): boolean {
    return this.at === this.rows.length && !this.isOver;
  }

  /** Reads a page. `listed`: how many entries the list has, of which each needs a row at most. */
  async read(listed: number): Promise<void> {
    const { root, prefix } = this.range;
    this.rows = [];
    // Where rows have expired, more may follow: to read as many as the list needs would take many pages.
    const limit = listed > this.listed ? Math.min(this.pageRows, this.range.limit - listed) : this.pageRows;
    this.listed = listed;
    const range = { prefix: root + prefix, ...this.bound, limit };
    for await (const batch of this.items.scanText(this.space, range)) this.rows.push(...batch);
    const last = this.rows.at(-1);
    if (last === undefined || this.rows.length < limit) this.isOver = true;
    else this.bound = { gt: last.key };
    this.used = 0;
    this.moveTo(0);
  }

  private moveTo(at: number): void {
    this.at = at;
    this.name = this.rows[at]?.key.slice(this.range.root.length);
  }

  /** The file at which it is. */
  file(): FileRow {
    return JSON.parse((this.rows[this.at] as TextRow).text) as FileRow;
  }

  next(): void {
    this.moveTo(this.at + 1);
    this.endRow();
  }

  private endRow(): void {
    this.used++;
    if (this.at < this.rows.length) return;
    const growth = this.used === this.rows.length ? 4 : 2;
    this.pageRows = Math.min(maxPageRows, Math.max(minPageRows, growth * this.used));
  }

  /** Leaves out all names that begin with this text. */
  skip(prefix: string): void {
    const { root } = this.range;
    const before = this.at;
    let at = before;
    while (this.rows[at]?.key.startsWith(root + prefix)) at++;
    this.moveTo(at);
    if (this.at > before) this.endRow();
    const isBeyond = this.at === this.rows.length && this.at > before;
    if (isBeyond && !this.isOver) this.start({ gte: endOfPrefix(prefix) });
  }
}
