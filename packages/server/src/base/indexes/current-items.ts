import type { Put, Snapshot } from '../../engines/item-store.js';
import { expiryAttribute } from '../items/expiry.js';

const marker = `"${expiryAttribute}":`;

/**
 * What brings the items with these keys to where they are at a moment. They are read with their due times: few have one, and
 * only theirs cost a read each.
 */
export async function currentItems(snapshot: Snapshot, keys: readonly string[]) {
  const texts = await snapshot.texts(keys);
  const puts: Put[] = [];
  const deletes: string[] = [];
  for (const [n, key] of keys.entries()) {
    const text = texts[n];
    if (text === undefined) deletes.push(key);
    else if (!text.includes(marker)) puts.push({ key, value: Buffer.from(text) });
    else
      for await (const rows of snapshot.scan({ gte: key, lte: key, withDue: true }))
        puts.push(...rows.map(asPut));
  }
  return { puts, deletes };
}

function asPut({ key, value, dueSeconds }: Put & { readonly dueSeconds?: number | undefined }): Put {
  return dueSeconds === undefined ? { key, value } : { key, value, dueSeconds };
}
