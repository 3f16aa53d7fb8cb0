import { isRowExpired } from '../base/items/expiry.js';
import { keyInRange } from '../base/query/key-range.js';
import { detailsText } from '../drive/files/details.js';
import { liveFile, nameKey, nameOfKey } from '../drive/rows.js';
import type { ItemStore } from '../engines/item-store.js';
import { type Clock, nowSeconds } from '../lib/clock.js';
import { baseSpace, driveSpace } from '../spaces.js';
import type { Selection } from './selection.js';

/** An item or a file that has changed. */
export interface Changed {
  readonly of: 'bases' | 'drives';
  /** The base or drive. */
  readonly name: string;
  /** The key of the item, or the name of the file. */
  readonly key: string;
}

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

/**
 * A change as JSON (docs/http.md#changes), from the row as it is now: a put if it is there and matches the query, else a
 * delete.
 */
export function changeText(changed: Changed, row: Buffer | undefined, telling: Telling): string {
  const put = row && putText(changed, row, telling);
  return put ?? `${beginOf(changed)},"type":"delete"${endOf(telling)}`;
}

/** The change if it is a put; undefined if there is nothing any more, or it does not match. */
export function putText(changed: Changed, row: Buffer, telling: Telling): string | undefined {
  const { of, key } = changed;
  const { clock, selection } = telling;
  const now = nowSeconds(clock);
  const value = of === 'bases' ? itemText(key, row, selection, now) : fileText(key, row, now);
  return value && `${beginOf(changed)},"type":"put"${value === noValue ? '' : value}${endOf(telling)}`;
}

function beginOf({ of, name, key }: Changed): string {
  const [first, second] = of === 'bases' ? ['base', 'key'] : ['drive', 'name'];
  return `{"${first}":${JSON.stringify(name)},"${second}":${JSON.stringify(key)}`;
}

function endOf({ tx }: Telling): string {
  return tx === undefined ? '}' : `,"tx":"${tx}"}`;
}

/** An item whose value the reader does not want. */
const noValue = 'no value';

/** The member `item`; undefined if there is no item, or it does not match. */
function itemText(key: string, row: Buffer, { query, values }: Selection, now: number): string | undefined {
  if (isRowExpired(row, now)) return undefined;
  if (query !== undefined && !keyInRange(query.range, key)) return undefined;
  const text = values || query?.filter !== undefined ? row.toString() : '';
  if (query?.filter !== undefined && !query.filter.matches(text)) return undefined;
  return values ? `,"item":${text}` : noValue;
}

function fileText(name: string, row: Buffer, now: number): string | undefined {
  return liveFile(row, now) && `,"file":${detailsText(name, row.toString())}`;
}
