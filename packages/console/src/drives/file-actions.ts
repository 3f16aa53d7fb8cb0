import type { Selection } from '../grid/selection.js';
import { setParameters } from '../router.js';
import { confirm } from '../ui/confirm.js';
import { countOf, formatCount } from '../ui/format.js';
import { type JobControl, runJob } from '../ui/jobs.js';
import { tell, tellFailure } from '../ui/toast.js';
import { visible } from '../ui/visible.js';
import { deleteEntries, type FilesChanged, moveEntries } from './change-files.js';
import type { Entry } from './entry.js';
import type { FolderChange, FolderListing } from './folder-listing.js';

interface FileActions {
  /** Asks, and then deletes entries with all that is below them. */
  askToDelete(entries: readonly Entry[]): void;
  /** Asks, and then moves entries into a folder (`trip/`, or empty for the drive itself). */
  askToMove(entries: readonly Entry[], folder: string): void;
  /** Moves entries into a folder. A failure is shown as a message. */
  move(entries: readonly Entry[], folder: string): void;
  /** Gives a file another name. Rejects if it is taken. */
  rename(entry: Entry, to: string): Promise<void>;
}

interface ActionsPlace {
  readonly drive: string;
  readonly listing: FolderListing;
  readonly selection: Selection;
  /** Reads the folder again from its start. */
  reread(): void;
}

/** What is done with the entries of a folder, and how the page follows. */
export function fileActions({ drive, listing, selection, reread }: ActionsPlace): FileActions {
  /** Does a change of files, and shows what is then there: also after a stop or a failure in the middle. */
  async function follow(
    title: string,
    work: (control: JobControl) => Promise<FilesChanged>,
    verb: string,
    change: FolderChange,
  ): Promise<void> {
    const { count, isWhole, cause } = await runJob(`${title} of ${visible(drive)}`, work);
    if (isWhole) {
      selection.clear();
      listing.update(change).catch(tellFailure);
      tell(`${verb} ${countOf(count, 'file')}`);
    } else {
      reread();
      if (cause !== undefined) tellFailure(cause);
      tell(`${verb} only ${countOf(count, 'file')}`);
    }
  }

  const describe = (entries: readonly Entry[]) =>
    entries.length === 1 ? visible(entries[0]?.label ?? '') : `${formatCount(entries.length)} entries`;
  const namesOf = (entries: readonly Entry[]) => entries.map(({ name }) => name);

  const move = (entries: readonly Entry[], folder: string) => {
    const change = { gone: namesOf(entries), stored: entries.map(({ label }) => folder + label) };
    const work = (control: JobControl) => moveEntries(drive, entries, ({ label }) => folder + label, control);
    follow('Moving files', work, 'Moved', change).catch(tellFailure);
  };

  return {
    askToDelete(entries) {
      if (entries.length === 0) return;
      const hasFolders = entries.some(({ file }) => file === undefined);
      confirm({
        title: `Delete ${describe(entries)}?`,
        text: hasFolders
          ? 'All files in the chosen folders are deleted. This cannot be undone.'
          : 'This cannot be undone.',
        verb: 'Delete',
        danger: true,
        typed: hasFolders ? 'delete' : undefined,
        async act() {
          const work = (control: JobControl) => deleteEntries(drive, entries, control);
          setParameters({ file: '' });
          // The dialog closes, and the work shows itself how far it is.
          follow('Deleting files', work, 'Deleted', { gone: namesOf(entries) }).catch(tellFailure);
        },
      });
    },

    askToMove(entries, folder) {
      const to = visible(folder === '' ? drive : folder);
      confirm({
        title: `Move ${describe(entries)}?`,
        text: `To ${to}. No byte is copied, and nothing there is overwritten.`,
        verb: 'Move',
        act: async () => move(entries, folder),
      });
    },

    move,

    async rename(entry, to) {
      const work = (control: JobControl) => moveEntries(drive, [entry], () => to, control);
      await follow('Renaming a file', work, 'Renamed', { gone: [entry.name], stored: [to] });
      setParameters({ file: to });
    },
  };
}
