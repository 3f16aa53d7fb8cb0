import { anyGarbage, RowUnreadable } from '../../drive/contents/row-contents.js';
import type { StoredBlob } from '../../engines/blob-store.js';
import { isBadSector } from '../../engines/storage-errors.js';
import { nowSeconds } from '../../lib/clock.js';
import { holdIdentityOf } from '../identity.js';
import { findOrphans, notOurBlobs } from '../orphans.js';
import { addProblem } from '../problems.js';
import type { CheckOptions } from './check-options.js';
import { readBlobClock } from './read-blob-clock.js';
import type { CheckReport } from './report.js';
import { separate } from './separate-content.js';
import { findShared, type SharedContent } from './shared-contents.js';

const orphansNotLookedForSince = 'blobs without an owner were not looked for:';
export const orphansNotLookedFor =
  'blobs without an owner were not looked for, since there are rows that cannot be read';

/** Each content should have one owner: if two rows share it, who deletes one takes the bytes from the other. */
export async function checkShared(options: CheckOptions, report: CheckReport): Promise<void> {
  const { items, quarantine, holdGarbage = () => () => {} } = options;
  const release = quarantine === undefined ? () => {} : holdGarbage();
  try {
    for await (const shared of findShared(items)) {
      if (quarantine !== undefined && (await separate(options, shared))) report.separated++;
      else addProblem(report, shared.space, shared.key, sharingProblem(shared));
    }
  } finally {
    release();
  }
}

function sharingProblem({ space, key, id, ownerSpace, owner }: SharedContent): string {
  const bytes = key.startsWith(anyGarbage) ? 'the bytes that it would delete' : 'its bytes';
  const other = `${space === ownerSpace ? '' : `"${ownerSpace}" `}${JSON.stringify(owner)}`;
  return `${bytes}, ${id}, are those of ${other}, too`;
}

/** A row that cannot be read may name any blob, so then no blob counts as an orphan. */
export async function checkOrphans(options: CheckOptions, report: CheckReport): Promise<void> {
  const { items, blobs, quarantine } = options;
  try {
    const writtenBefore = await youngest(options);
    const isCandidate = ({ writtenSeconds }: StoredBlob) => writtenSeconds <= writtenBefore;
    for await (const ids of findOrphans({ items, blobs, isCandidate })) {
      for (const id of ids) {
        if (quarantine === undefined) {
          addProblem(report, 'blobs', id, 'no row owns it');
          continue;
        }
        if (!(await holdIdentityOf(options))) {
          const problem = `blobs without an owner were not moved: ${notOurBlobs}`;
          addProblem(report, 'blobs', '', problem);
          return;
        }
        await quarantine.take(id);
        report.quarantine++;
        report.quarantineFolder = quarantine.folder;
      }
    }
  } catch (cause) {
    if (!(cause instanceof RowUnreadable || isBadSector(cause))) throw cause;
    const problem = isBadSector(cause) ? `${orphansNotLookedForSince} ${cause.message}` : orphansNotLookedFor;
    addProblem(report, 'blobs', '', problem);
  }
}

/**
 * The time of the youngest blob that may be an orphan. What is moved must not depend on the clock of this machine, which may be
 * ahead of the one that dates the blobs.
 */
async function youngest({ blobs, clock, quarantine, orphanAgeSeconds }: CheckOptions): Promise<number> {
  if (orphanAgeSeconds === 0) return Number.POSITIVE_INFINITY;
  const now = quarantine === undefined ? nowSeconds(clock) : await readBlobClock(blobs);
  return now - orphanAgeSeconds;
}
