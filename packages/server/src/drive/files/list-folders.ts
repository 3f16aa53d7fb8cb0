import type { ItemStore } from '../../engines/item-store.js';
import { folderKey, isFileRowExpired } from '../rows.js';
import { detailsText } from './details.js';
import { longerOf } from './entries.js';
import type { ListPage, ListQuery } from './list-names.js';

/** Reads a page of the markers of folders, in the order of their names (docs/http.md#folder-markers). */
export async function listFolders(
  items: ItemStore,
  space: string,
  { prefix, within, last, limit, details = false, nowSeconds }: Omit<ListQuery, 'recursive'>,
): Promise<ListPage> {
  const scanned = longerOf(prefix, within);
  const names: string[] = [];
  const files: Buffer[] = [];
  const page = (more: boolean): ListPage => (details ? { names, files, more } : { names, more });
  if (scanned === undefined) return page(false);
  const root = folderKey('');
  const bound = last === '' ? {} : { gt: folderKey(last) };
  for await (const batch of items.scanText(space, { prefix: folderKey(scanned), ...bound })) {
    for (const { key, text } of batch) {
      if (isFileRowExpired(text, nowSeconds)) continue;
      if (names.length === limit) return page(true);
      const name = key.slice(root.length);
      names.push(name);
      if (details) files.push(Buffer.from(detailsText(name, text)));
    }
  }
  return page(false);
}
