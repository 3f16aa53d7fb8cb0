import type { ItemStore } from './item-store.js';

/** Limits of one batch: the caller reads its rows once more and changes them in one transaction. */
const maxRows = 500;
const maxBytes = 512 * 1024;

/**
 * The keys that begin with the prefix, in batches, up to the key that is the last one now: the iteration ends even if
 * others keep writing after that key. Each batch has its own scan, which is closed before the batch is given, so no
 * snapshot is held open however long the caller takes.
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
