import type { IndexedStore } from '../../base/indexes/writing/indexed-store.js';
import { headerKey } from '../../engines/item-store.js';
import { baseSpaces } from '../../spaces.js';
import type { StandbyPosition } from '../copy/copy-marker.js';
import type { CopyRun } from '../copy/copy-run.js';
import { copySpace } from '../copy/copy-space.js';
import { applyBase } from './apply-base.js';
import { applyDrive } from './apply-drive.js';
import { notedOf, notedSince } from './noted-since.js';
import type { SourceLog } from './source-log.js';

export interface Step {
  readonly run: CopyRun;
  readonly log: SourceLog;
  /** The items of the destination, with their indexes. */
  readonly indexed: IndexedStore;
  /** Notes at the destination that it is not of one moment for now. */
  readonly tear: () => Promise<void>;
  /** The spaces that were compared in the last step, while they were written. The indexes of bases are looked at again. */
  readonly compared: Set<string>;
}

/**
 * Applies what has been noted since a position, and gives the next one. Each space is brought to where it is at one
 * moment after the position: so its transactions are there as a whole or not at all, and applying a change again does
 * no harm. Throws `LogTooShort` when changes since the position were dropped or not noted.
 *
 * The new position is complete before the moments, so that what is noted between them comes again in the next step.
 */
export async function followStep(
  { run, log, indexed, tear, compared }: Step,
  { next: from, epoch }: StandbyPosition,
): Promise<StandbyPosition> {
  const asOfMs = Date.now();
  const next = await log.complete();
  const noted = await notedSince(run.source.items, from);
  for (const space of compared) noted.add(space, [headerKey]);
  compared.clear();
  for (const [space, keys] of noted.spaces()) {
    const late = (known: ReadonlySet<string>) => notedOf(run.source.items, space, { known, from: next });
    const isBase = space.startsWith(baseSpaces);
    const isApplied =
      keys !== 'many' &&
      (isBase
        ? await applyBase(run, indexed, { space, keys, late, tear })
        : await applyDrive(run, { space, keys, late, tear }));
    if (isApplied) continue;
    await tear();
    await copySpace(run, space);
    compared.add(space);
    await run.removedBlobs.sweep(false);
  }
  return { epoch, next, asOfMs, isTorn: compared.size > 0 };
}
