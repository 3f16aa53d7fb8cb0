import { client } from '../api/session.js';
import type { JobControl } from '../ui/jobs.js';
import type { Entry } from './entry.js';
import { chosenNames, type FilesChanged, inBatches } from './names/chosen-names.js';

/** Deletes files, and folders with all that is below them. */
export async function deleteEntries(
  drive: string,
  entries: readonly Entry[],
  control: JobControl,
  onDeleted: (names: readonly string[]) => void,
): Promise<FilesChanged> {
  let left = 0;
  const changed = await inBatches(chosenNames(drive, entries), control, async (files, changedFiles) => {
    const { deleted, failed } = await client()
      .Drive(drive)
      .deleteMany(files.map(({ name }) => name));
    left += Object.keys(failed).length;
    changedFiles(deleted.length);
    onDeleted(deleted);
  });
  return { ...changed, isWhole: changed.isWhole && left === 0 };
}
