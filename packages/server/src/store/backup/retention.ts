import type { BlobStore, StoredBlob } from '../../engines/blob-store.js';
import type { IdSet } from '../id-set.js';
import { idSetFor, readBlobList } from './blob-list.js';
import { readPart } from './checked-part.js';
import { isManifest, isOfPlace, type Manifest, manifestId, readManifests } from './place.js';

const deleteAtOnce = 100;

/** What a place holds before a backup. */
export interface Holdings {
  /** All blobs. */
  readonly present: IdSet;
  /** Those that a complete backup names, and that are there. */
  readonly whole: IdSet;
}

export async function readHoldings(place: BlobStore): Promise<Holdings> {
  const stored = await listed(place);
  const present = idSetFor(stored.length);
  for (const { id } of stored) present.add(id);
  const named = await namedBy(place, await readManifests(place, stored));
  const whole = idSetFor(stored.length);
  for (const { id } of stored) if (named.has(id)) whole.add(id);
  return { present, whole };
}

/**
 * Drops the backups whose moment is longer ago than `keepMs`, but never the newest one. Then it deletes what no
 * complete backup needs, also what interrupted runs have left. Gives the number of dropped backups.
 */
export async function dropOldBackups(place: BlobStore, keepMs: number | undefined): Promise<number> {
  const stored = await listed(place);
  const manifests = await readManifests(place, stored);
  const oldestMs = Date.now() - (keepMs ?? Number.POSITIVE_INFINITY);
  const kept = manifests.filter(({ momentMs }, n) => n === manifests.length - 1 || momentMs >= oldestMs);
  // Without its manifest, a backup is none: nothing is taken from under one that still counts.
  await deleteAll(
    place,
    stored.filter(({ id }) => isManifest(id) && !kept.some(({ momentMs }) => manifestId(momentMs) === id)),
  );
  const named = await namedBy(place, kept);
  const parts = new Set(kept.flatMap(({ rows, list }) => [rows.id, list.id]));
  await deleteAll(
    place,
    stored.filter(({ id }) => !isManifest(id) && !isOfPlace(id) && !parts.has(id) && !named.has(id)),
  );
  return manifests.length - kept.length;
}

async function namedBy(place: BlobStore, manifests: readonly Manifest[]): Promise<IdSet> {
  const named = idSetFor(manifests.reduce((sum, { list }) => sum + list.count, 0));
  for (const { list } of manifests) {
    for await (const { id } of readBlobList(readPart(place, list))) named.add(id);
  }
  return named;
}

async function listed(place: BlobStore): Promise<StoredBlob[]> {
  const stored: StoredBlob[] = [];
  for await (const blob of place.ids()) stored.push(blob);
  return stored;
}

async function deleteAll(place: BlobStore, blobs: readonly StoredBlob[]): Promise<void> {
  for (let at = 0; at < blobs.length; at += deleteAtOnce) {
    await place.delete(blobs.slice(at, at + deleteAtOnce).map(({ id }) => id));
  }
}
