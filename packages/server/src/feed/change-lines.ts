import { isRowExpired } from '../base/items/expiry.js';
import { matches } from '../base/query/evaluate.js';
import { keyInRange } from '../base/query/key-range.js';
import { detailsText } from '../drive/files/details.js';
import { liveFile, nameKey, nameOfKey } from '../drive/rows.js';
import type { ItemStore } from '../engines/item-store.js';
import { type Clock, nowSeconds } from '../lib/clock.js';
import type { Steps } from '../lib/concurrency/time-slices.js';
import { baseSpace, driveSpace } from '../spaces.js';
import { type Changed, usualWriting } from './change-writing.js';
import type { Selection } from './selection.js';

/** The rows of the project. */
export interface ProjectRows {
  readonly items: Pick<ItemStore, 'get'>;
  readonly clock: Clock;
  readonly project: string;
}

/** Finds the item or file of a row. `root` is what the spaces of bases, or drives, of the project begin with. */
export function changedOf(project: string, space: string, rowKey: string): Changed {
  const bases = baseSpace(project, '');
  return space.startsWith(bases)
    ? { of: 'bases', name: space.slice(bases.length), key: rowKey }
    : { of: 'drives', name: space.slice(driveSpace(project, '').length), key: nameOfKey(rowKey) };
}

/** Whether the reader follows it. */
export function isSelected({ bases, drives, prefix }: Selection, { of, name, key }: Changed): boolean {
  return key.startsWith(prefix) && (of === 'bases' ? bases : drives).has(name);
}

/** The row as it is now. */
export function currentRow(
  { items, project }: ProjectRows,
  { of, name, key }: Changed,
): Buffer | undefined | Promise<Buffer | undefined> {
  return of === 'bases'
    ? items.get(baseSpace(project, name), key)
    : items.get(driveSpace(project, name), nameKey(key));
}

/** What the text of a change depends on. `tx` is absent in a snapshot. */
export interface Telling {
  readonly clock: Clock;
  readonly selection: Selection;
  readonly tx?: string;
}

/** A change, and its row as it is now. */
export interface ChangedRow {
  readonly changed: Changed;
  readonly row: Buffer | undefined;
}

const rowsPerStep = 32;
const bytesPerStep = 16 * 1024;

/**
 * Changes as JSON (docs/http.md#changes): a put if the row is there and matches the query; else a delete, or nothing in
 * a snapshot. They are written in steps, since a query may take long for an item.
 */
export function* changeTexts(changes: readonly ChangedRow[], telling: Telling): Steps<string[]> {
  const { writing = usualWriting } = telling.selection;
  const texts: string[] = [];
  let bytes = 0;
  for (const [index, { changed, row }] of changes.entries()) {
    bytes += row?.length ?? 0;
    if (bytes > bytesPerStep || index % rowsPerStep === rowsPerStep - 1) {
      bytes = 0;
      yield;
    }
    const value = row && (yield* valueText(changed, row, telling));
    if (value !== undefined) texts.push(writing.put(changed, value, telling.tx));
    else if (telling.tx !== undefined) texts.push(writing.deletion(changed, telling.tx));
  }
  return texts;
}

/** The item or file of a put, empty if the reader wants no values; undefined if it has expired, or is not what the reader follows. */
function* valueText(
  { of, key }: Changed,
  row: Buffer,
  { clock, selection }: Telling,
): Steps<string | undefined> {
  const now = nowSeconds(clock);
  if (of === 'drives') return liveFile(row, now) && detailsText(key, row.toString());
  const { query, values } = selection;
  if (isRowExpired(row, now)) return undefined;
  if (query !== undefined && !keyInRange(query.range, key)) return undefined;
  const text = values || query?.filter !== undefined ? row.toString() : '';
  if (query !== undefined) {
    const matching = matches(query, text);
    if (!(typeof matching === 'boolean' ? matching : yield* matching)) return undefined;
  }
  return values ? text : '';
}
