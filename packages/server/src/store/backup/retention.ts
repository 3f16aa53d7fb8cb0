import type { BlobStore, StoredBlob } from '../../engines/blob-store.js';
import { groupsOf } from '../../lib/groups.js';
import type { IdSet } from '../id-set.js';
import { idSetFor, readBlobList } from './blob-list.js';
import { DamagedPart, partProblem, readPart } from './checked-part.js';
import {
  type DamagedBackup,
  findManifests,
  isManifest,
  type Manifest,
  manifestId,
  nextNumber,
  readManifests,
} from './manifest.js';
import { isOfPlace } from './place.js';

const deleteAtOnce = 100;

/** What a place holds before a backup. */
export interface Holdings {
  /** All blobs. */
  readonly present: IdSet;
  /** Those that a complete backup names, and that are there. */
  readonly whole: IdSet;
  /** A damaged backup may name any other blob. */
  readonly damaged: readonly DamagedBackup[];
  /** The number of the next backup. */
  readonly next: number;
}

export async function readHoldings(place: BlobStore, throwIfEnded = () => {}): Promise<Holdings> {
  const stored = await listed(place, throwIfEnded);
  const present = idSetFor(stored.length);
  for (const { id } of stored) present.add(id);
  const { complete, damaged } = await readManifests(place, stored);
  const names = await namedBy(place, complete, throwIfEnded);
  const whole = idSetFor(stored.length);
  for (const { id } of stored) if (names.named.has(id)) whole.add(id);
  return { present, whole, damaged: [...damaged, ...names.damaged], next: nextNumber({ complete }) };
}

/**
 * Drops the backups whose moment is longer ago than `keepMs`, but never the one that was made last. Then it deletes what no
 * complete backup needs, also what interrupted runs have left. Gives the number of dropped backups. If a backup is
 * damaged, nothing is dropped or deleted: the damaged backup may need any of the bytes, and without it the older ones
 * matter more.
 */
export async function dropOldBackups(
  place: BlobStore,
  keepMs: number | undefined,
  throwIfEnded = () => {},
): Promise<{ readonly dropped: number; readonly damaged: readonly DamagedBackup[] }> {
  const stored = await listed(place, throwIfEnded);
  const { complete, damaged } = await readManifests(place, stored);
  const oldestMs = Date.now() - (keepMs ?? Number.POSITIVE_INFINITY);
  const kept = complete.filter(({ momentMs }, n) => n === complete.length - 1 || momentMs >= oldestMs);
  const names = await namedBy(place, kept, throwIfEnded);
  if (damaged.length + names.damaged.length > 0)
    return { dropped: 0, damaged: [...damaged, ...names.damaged] };
  // Without its manifest, it is no backup any more: nothing is taken from under one that still counts.
  await deleteAll(
    place,
    stored.filter(({ id }) => isManifest(id) && !kept.some(({ momentMs }) => manifestId(momentMs) === id)),
    throwIfEnded,
  );
  const parts = new Set(kept.flatMap(({ rows, list }) => [rows.id, list.id]));
  await deleteAll(
    place,
    stored.filter(({ id }) => !isManifest(id) && !isOfPlace(id) && !parts.has(id) && !names.named.has(id)),
    throwIfEnded,
  );
  return { dropped: complete.length - kept.length, damaged: [] };
}

/** The backups with a part that is not as it was written. Reads all rows and lists of the place. */
export async function findDamagedParts(place: BlobStore): Promise<readonly DamagedBackup[]> {
  const damaged: DamagedBackup[] = [];
  for (const { momentMs, rows, list } of (await findManifests(place)).complete) {
    for (const part of [rows, list]) {
      const problem = await partProblem(place, part);
      if (problem !== undefined) damaged.push({ id: part.id, momentMs, problem });
    }
  }
  return damaged;
}

async function namedBy(place: BlobStore, manifests: readonly Manifest[], throwIfEnded: () => void) {
  const named = idSetFor(manifests.reduce((sum, { list }) => sum + list.count, 0));
  const damaged: DamagedBackup[] = [];
  for (const { momentMs, list } of manifests) {
    throwIfEnded();
    try {
      for await (const { id } of readBlobList(readPart(place, list))) named.add(id);
    } catch (cause) {
      if (!(cause instanceof DamagedPart)) throw cause;
      damaged.push({ id: list.id, momentMs, problem: cause.problem });
    }
  }
  return { named, damaged };
}

async function listed(place: BlobStore, throwIfEnded: () => void): Promise<StoredBlob[]> {
  const stored: StoredBlob[] = [];
  for await (const blob of place.ids()) {
    throwIfEnded();
    stored.push(blob);
  }
  return stored;
}

async function deleteAll(
  place: BlobStore,
  blobs: readonly StoredBlob[],
  throwIfEnded: () => void,
): Promise<void> {
  for (const some of groupsOf(blobs, deleteAtOnce)) {
    throwIfEnded();
    await place.delete(some.map(({ id }) => id));
  }
}
