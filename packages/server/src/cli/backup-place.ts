import { join, resolve } from 'node:path';
import type { Settings } from '../config/settings.js';
import { blobsAddressProblem, isFolderPath } from '../engines/registry.js';
import { isBelow } from '../lib/nested-folder.js';
import { OperatorError } from '../operator-error.js';

/** The address of a place for backups: a URL, or the absolute path of a folder. Throws `OperatorError`. */
export function readPlace(given: string): string {
  const problem = given === '' ? 'must not be empty' : blobsAddressProblem(given);
  // The address may hold a password, so it is not repeated.
  if (problem !== undefined) throw new OperatorError(`The place of backups ${problem}`);
  return isFolderPath(given) ? resolve(given) : given;
}

/**
 * Refuses a place of backups within the store that is saved or restored, and a store within the place: one would be lost
 * with the other. Throws `OperatorError`.
 */
export function refuseNested(
  place: string,
  { dataFolder, blobs }: Pick<Settings, 'dataFolder' | 'blobs'>,
): void {
  if (!isFolderPath(place)) return;
  // Rows and bytes of a data folder may be links to folders elsewhere.
  for (const folder of [dataFolder, join(dataFolder, 'rows'), blobs ?? join(dataFolder, 'blobs')]) {
    if (folder === '' || !isFolderPath(folder)) continue;
    if (isBelow(place, folder)) {
      throw new OperatorError(
        `${place} is inside ${resolve(folder)}, the store itself: give a place elsewhere, best on another disk`,
      );
    }
    if (isBelow(folder, place)) {
      throw new OperatorError(
        `${resolve(folder)} is inside the place of backups ${place}, which is for backups only: give another folder`,
      );
    }
  }
}
