import { setTimeout as wait } from 'node:timers/promises';
import { ownedBlobs } from '../drive/contents/owned-blobs.js';
import type { BlobStore } from '../engines/blob-store.js';
import type { ItemStore } from '../engines/item-store.js';
import { BlobMissing } from '../engines/storage-errors.js';
import type { Store } from '../engines/store.js';
import { isRandomId, randomId } from '../lib/random-id.js';
import { storeSpace } from '../spaces.js';
import { createIdSet } from './id-set.js';

/**
 * Maintenance deletes blobs that no row refers to, so a server that opened the blobs of other rows (a wrong bucket,
 * another database, a folder whose rows are not mounted) would delete all of them. Therefore rows have an identity,
 * and one blob repeats it: a server starts only when the two agree.
 */

/** The blob that holds the identity of the rows. No random id is equal to it. */
export const identityBlob = 'f'.repeat(32);
const identityKey = 'identity';
const attempts = 20;
const retryMs = 100;
/** How many blobs without an identity are compared with all rows before they count as foreign. Their ids are random. */
const maxCompared = 10_000;
/**
 * After how many milliseconds a claim is read again where a write may replace another one. A server of other rows that
 * looked before this claim has replaced it by then.
 */
const settleMs = 1000;

/**
 * Gives the identity of the rows if the blobs belong to these rows, or belonged to none and are claimed now; undefined
 * if they belong to other rows. Blobs without an identity are claimed if there are no blobs yet, or if the rows name
 * one of them. Where a write may replace another one, a claim takes a second longer.
 */
export async function claimBlobs(items: ItemStore, blobs: BlobStore): Promise<string | undefined> {
  const identity = await ensureIdentity(items);
  for (let left = attempts; left > 0; left--) {
    const owner = await ownerOf(blobs);
    if (owner !== undefined) return owner === identity ? identity : undefined;
    // Another server that starts may have written the identity since: that one is looked at in the next round.
    if ((await holdsContents(blobs)) && !(await nameOneOf(items, blobs))) return undefined;
    // Another server that starts may still be writing it. If it is unfinished at the last attempt, a crash left it.
    if (left === 1) await blobs.delete([identityBlob]);
    try {
      const isWritten = await writeIdentityBlob(blobs, Buffer.from(identity));
      if (!isWritten) throw new Error('Another server has written it since');
    } catch {
      await wait(retryMs);
      continue;
    }
    if (!blobs.replaces) return identity;
    // A server of other rows that started at the same moment may have replaced it.
    await wait(settleMs);
    return (await ownerOf(blobs)) === identity ? identity : undefined;
  }
  // A blob store that accepts nothing now can still be read. The next start writes the identity.
  return identity;
}

/** Gives whether it was written: not if another server has written one in the meantime, as far as the store looks. */
async function writeIdentityBlob(blobs: BlobStore, bytes: Buffer): Promise<boolean> {
  if (blobs.writeUnlessThere !== undefined) return await blobs.writeUnlessThere(identityBlob, bytes);
  await blobs.write(identityBlob, [bytes]);
  return true;
}

/** Whether the blobs belong to these rows, or to none. Changes nothing. */
export async function haveSameIdentity(items: ItemStore, blobs: BlobStore): Promise<boolean> {
  const owner = await ownerOf(blobs);
  if (owner === undefined) return true;
  return (await items.get(storeSpace, identityKey))?.toString() === owner;
}

/** Whether the blobs hold the identity of these rows: only then may blobs that no row names be deleted. */
export async function holdIdentityOf({ items, blobs }: Store): Promise<boolean> {
  const owner = await ownerOf(blobs);
  return owner !== undefined && (await items.get(storeSpace, identityKey))?.toString() === owner;
}

/** The identity of these rows: created by the first call, and never changed. */
export async function ensureIdentity(items: ItemStore): Promise<string> {
  const value = Buffer.from(randomId());
  return await items.transact(storeSpace, [identityKey], ([row]) => {
    if (row !== undefined) return { result: row.toString() };
    return { puts: [{ key: identityKey, value }], result: value.toString() };
  });
}

/** Whether these rows have an identity: those of a store that was opened once have. */
export async function hasIdentity(items: ItemStore): Promise<boolean> {
  return (await items.get(storeSpace, identityKey)) !== undefined;
}

/** Whether the blobs hold the identity of any rows. */
export async function haveOwner(blobs: BlobStore): Promise<boolean> {
  return (await ownerOf(blobs)) !== undefined;
}

/** Whether there is any blob, the one with the identity included. */
export async function holdsBlobs(blobs: BlobStore): Promise<boolean> {
  return (await ownerOf(blobs)) !== undefined || (await holdsContents(blobs));
}

/** Whether rows name blobs, and there is none: they are lost, or their disk is not mounted. Ask before they are claimed. */
export async function haveLostBlobs(items: ItemStore, blobs: BlobStore): Promise<boolean> {
  if ((await ownerOf(blobs)) !== undefined) return false;
  // The rows first: a new store has none, and need not look through its blobs for them.
  for await (const _id of ownedBlobs(items)) return !(await holdsContents(blobs));
  return false;
}

/** Whether there is any blob but the one with the identity. */
async function holdsContents(blobs: BlobStore): Promise<boolean> {
  for await (const { id } of blobs.ids()) if (id !== identityBlob) return true;
  return false;
}

/** The identity that the blobs hold; undefined when they hold none, or only a part of one. */
export async function ownerOf(blobs: BlobStore): Promise<string | undefined> {
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

async function nameOneOf(items: ItemStore, blobs: BlobStore): Promise<boolean> {
  const found = createIdSet(maxCompared);
  for await (const { id } of blobs.ids()) {
    if (id !== identityBlob) found.add(id);
    if (found.isFull) break;
  }
  // From the blobs, not from the rows: those that the rows name first may be the ones that are lost.
  for await (const id of ownedBlobs(items)) if (found.has(id)) return true;
  return false;
}
