import { client } from '../api/session.js';
import type { JobControl } from '../ui/jobs.js';
import type { Entry } from './entry.js';
import { chosenMarkers, chosenNames, type FilesChanged, inBatches } from './names/chosen-names.js';

/**
 * Deletes files, and folders with all that is below them: the folders themselves last, so that those stay that still have
 * files after a stop. `onDeleted` is told the names, of folders with their `/`.
 */
export async function deleteEntries(
  drive: string,
  entries: readonly Entry[],
  control: JobControl,
  onDeleted: (names: readonly string[]) => void,
): Promise<FilesChanged> {
  let left = 0;
  const remove = async (names: readonly string[], folder = false) => {
    const { deleted, failed } = await client().Drive(drive).deleteMany(names, { folder });
    left += Object.keys(failed).length;
    onDeleted(deleted);
    return deleted.length;
  };
  const namesOf = (some: readonly { readonly name: string }[]) => some.map(({ name }) => name);
  const changed = await inBatches(chosenNames(drive, entries), control, async (files, changedFiles) => {
    changedFiles(await remove(namesOf(files)));
  });
  if (!changed.isWhole) return changed;
  const folders = await inBatches(chosenMarkers(drive, entries), control, async (some) => {
    await remove(namesOf(some), true);
  });
  const { isWhole, cause } = folders;
  return { count: changed.count, isWhole: isWhole && left === 0, ...(cause === undefined ? {} : { cause }) };
}
