import { ownedBlobs } from '../drive/contents/owned-blobs.js';
import type { StoredBlob } from '../engines/blob-store.js';
import type { Store } from '../engines/store.js';
import { createIdSet } from './id-set.js';
import { identityBlob } from './identity.js';

const hourSeconds = 60 * 60;

/**
 * For how many seconds a blob must have been without a row to be an orphan. It is written before its row, so a younger one
 * may still get its row. An hour, or twice the time limit of a request if that is longer: a blob store may date a
 * blob by the start of its upload.
 */
export function orphanAgeSeconds(requestTimeoutMs: number): number {
  return Math.max(hourSeconds, Math.ceil((2 * requestTimeoutMs) / 1000));
}

/** How many blobs are compared with one scan of the rows. Their ids take some 9 MB, however many blobs there are. */
const idsPerPass = 250_000;

/** Why blobs without a row were left in place. */
export const notOurBlobs = 'the blobs do not hold the identity of these rows';

export interface OrphanSearch extends Store {
  /** Whether a blob is one if it has no row. Default: always. */
  readonly isCandidate?: (blob: StoredBlob) => boolean;
  /** Ends the search early when it returns false. */
  readonly mayContinue?: () => boolean;
  readonly idsPerPass?: number;
  /** Called for every blob that is listed. */
  readonly onListed?: ((blob: StoredBlob) => void) | undefined;
}

/**
 * Orphans, in groups: blobs that no row names. The blobs are listed before the rows are read, so a blob whose row is
 * written in the meantime is not among them. Throws `RowUnreadable` if a row cannot be read. A caller that
 * deletes orphans must call `holdIdentityOf` immediately before.
 */
export async function* findOrphans(search: OrphanSearch): AsyncGenerator<readonly string[]> {
  const { items, blobs, isCandidate = () => true, mayContinue = () => true, onListed } = search;
  const candidates = createIdSet(search.idsPerPass ?? idsPerPass);

  async function withoutOwner(): Promise<readonly string[]> {
    for await (const id of ownedBlobs(items)) {
      candidates.remove(id);
      if (candidates.size === 0 || !mayContinue()) break;
    }
    const orphans = mayContinue() ? [...candidates.values()] : [];
    candidates.clear();
    return orphans;
  }

  for await (const blob of blobs.ids()) {
    if (!mayContinue()) return;
    onListed?.(blob);
    if (blob.id === identityBlob || !isCandidate(blob)) continue;
    candidates.add(blob.id);
    if (candidates.isFull) yield await withoutOwner();
  }
  if (candidates.size > 0) yield await withoutOwner();
}
