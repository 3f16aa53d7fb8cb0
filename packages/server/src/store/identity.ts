import { setTimeout as wait } from 'node:timers/promises';
import type { BlobStore } from '../engines/blob-store.js';
import type { ItemStore } from '../engines/item-store.js';
import { BlobMissing } from '../engines/storage-errors.js';
import { isRandomId, randomId } from '../lib/random-id.js';
import { storeSpace } from '../spaces.js';

/**
 * Bytes without a row are taken away, so a server on the bytes of other rows (a wrong bucket, another database) would
 * take away all of them. Therefore rows have an identity, and one blob names it: a server starts on bytes only when
 * they name its rows, or none. Where both lie in one data folder, the folder itself says it.
 */

/** The blob that names the rows. Chance does not make this id. */
export const identityBlob = 'f'.repeat(32);
const identityKey = 'identity';
const tries = 20;
const tryAgainMs = 100;

/** Makes bytes that belong to no rows yet belong to these. False when they belong to others. */
export async function claimBlobs(items: ItemStore, blobs: BlobStore): Promise<boolean> {
  const identity = await ensureIdentity(items);
  for (let left = tries; left > 0; left--) {
    const owner = await ownerOf(blobs);
    if (owner !== undefined) return owner === identity;
    // Another server that starts may be writing it; what nobody has finished for so long was left by a crash.
    if (left === 1) await blobs.delete([identityBlob]);
    try {
      await blobs.write(identityBlob, [Buffer.from(identity)]);
      return true;
    } catch {
      await wait(tryAgainMs);
    }
  }
  // A store that takes nothing now can still be read from; the next start names the rows.
  return true;
}

/** Whether the bytes belong to these rows, or to none. Changes nothing. */
export async function haveSameIdentity(items: ItemStore, blobs: BlobStore): Promise<boolean> {
  const owner = await ownerOf(blobs);
  if (owner === undefined) return true;
  return (await items.get(storeSpace, identityKey))?.toString() === owner;
}

/** Who these rows are: made at the first time, the same from then on. */
export async function ensureIdentity(items: ItemStore): Promise<string> {
  const value = Buffer.from(randomId());
  return await items.transact(storeSpace, [identityKey], ([row]) => {
    if (row !== undefined) return { result: row.toString() };
    return { puts: [{ key: identityKey, value }], result: value.toString() };
  });
}

/** Undefined when nobody is named, or not yet in full. */
async function ownerOf(blobs: BlobStore): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of blobs.read(identityBlob)) chunks.push(Buffer.from(chunk));
  } catch (cause) {
    if (cause instanceof BlobMissing) return undefined;
    throw cause;
  }
  const owner = Buffer.concat(chunks).toString();
  return isRandomId(owner) ? owner : undefined;
}
