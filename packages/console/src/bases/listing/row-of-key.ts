import { keysOf, type Rows } from './rows.js';

/** The number of the row of a key, loaded or released; undefined if that row was not read. */
export function rowOfKey({ pages, first }: Rows, key: string): number | undefined {
  let before = first;
  for (const page of pages) {
    const at = page.size === 0 ? -1 : keysOf(page).indexOf(key);
    if (at !== -1) return before + at;
    before += page.size;
  }
  return undefined;
}
