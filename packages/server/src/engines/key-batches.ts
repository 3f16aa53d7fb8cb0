import type { ItemStore } from './item-store.js';

/** What one batch holds at most: its rows are read once more, and are changed in one transaction. */
const maxRows = 500;
const maxBytes = 512 * 1024;

/**
 * The keys that begin with the prefix, in batches, from the first key to what is the last one now: the end is reached
 * however much is written behind it meanwhile. Each batch has a scan of its own, which is over before the batch is
 * given, so no view of the rows is kept open however long the caller takes.
 */
export async function* keyBatches(
  items: ItemStore,
  space: string,
  prefix = '',
): AsyncGenerator<readonly string[]> {
  let end: string | undefined;
  for await (const rows of items.scan(space, { prefix, reverse: true, limit: 1 })) end = rows[0]?.key;
  if (end === undefined) return;
  const range = { prefix, lte: end, limit: maxRows };
  let after: string | undefined;
  do {
    const keys: string[] = [];
    let bytes = 0;
    for await (const rows of items.scan(space, after === undefined ? range : { ...range, gt: after })) {
      for (const { key, value } of rows) {
        if (bytes >= maxBytes) break;
        keys.push(key);
        bytes += value.length;
      }
      if (bytes >= maxBytes) break;
    }
    if (keys.length > 0) yield keys;
    after = keys.at(-1);
  } while (after !== undefined && after !== end);
}
