import type { Selection } from '../grid/selection.js';
import { route, setParameters } from '../router.js';
import { confirm } from '../ui/confirm.js';
import { countOf, formatCount } from '../ui/format.js';
import { runJob } from '../ui/jobs.js';
import { tell, tellFailure } from '../ui/toast.js';
import { visible } from '../ui/visible.js';
import { deleteEntries } from './delete-files.js';
import type { Entry } from './entry.js';
import { isAmong } from './entry-files.js';
import { type FileWork, filesOrFolder, maxUndone, namesOf } from './file-work.js';
import { FilesBelow } from './files-below.js';
import { makeFolder } from './folders/markers.js';
import { fileMoves } from './moves/file-moves.js';
import type { Choice, Choices } from './names/conflicts.js';
import { restoreDeleted } from './trash/restore-deleted.js';
import { TrashOffer } from './trash/trash-offer.js';
import { trashOf } from './trash/trash-setting.js';
import type { FolderChange, FolderListing } from './view/folder-listing.js';

/** What is done with entries. */
export interface FileActions {
  /** Asks, and then deletes entries with all that is below them. */
  askToDelete(entries: readonly Entry[]): void;
  /**
   * Moves entries into a folder (`trip/`, or empty for the drive itself). `choices` is of `moveEntries`. Resolves when
   * the first files are moved; rejects if none could be.
   */
  move(entries: readonly Entry[], folder: string, choices: Choices): Promise<void>;
  /** Gives a file another name, and replaces a file that has it if `isReplacing`. Rejects with `NameTaken` if not. */
  rename(entry: Entry, to: string, isReplacing: boolean): Promise<void>;
  /** Gives a folder another name, which ends with `/`. `choices` is of `moveEntries`. Resolves and rejects as `move`. */
  renameFolder(entry: Entry, to: string, choices: Choices): Promise<void>;
}

interface ActionsPlace {
  readonly drive: string;
  /** The listing that is shown at the time of the call: work goes on while another folder is opened. */
  shown(): FolderListing;
  readonly selection: Selection;
  /** Reads the folder again from its start. */
  reread(): void;
}

/** What is done with the entries of a folder, and how the page follows. */
export function fileActions(place: ActionsPlace): FileActions {
  const { drive, reread } = place;
  const follow = (work: FileWork) => followWork(place, work);
  const moves = fileMoves({ drive, follow, reread });
  return {
    askToDelete(entries) {
      if (entries.length > 0) askToDelete(place, entries);
    },

    move(entries, folder, choices) {
      const stored = entries.map(({ label }) => folder + label);
      const words = { title: 'Moving files', verb: 'Moved', stored };
      return moves.moveTo(entries, ({ label }) => folder + label, choices, words);
    },

    renameFolder(entry, to, choices) {
      const words = { title: 'Renaming a folder', verb: 'Renamed', stored: [to] };
      return moves.moveTo([entry], () => to, choices, words);
    },

    async rename(entry, to, isReplacing) {
      await moves.rename(entry, to, new Map<string, Choice>(isReplacing ? [[to, { kind: 'replace' }]] : []));
      if (openFile(drive) === entry.name) setParameters({ file: to });
    },
  };
}

/** Does work on files, and shows what is then there: also after a stop or a failure in the middle. */
async function followWork(
  { drive, shown, selection, reread }: ActionsPlace,
  { title, verb, change, isPartial = false, undo, run }: FileWork,
): Promise<void> {
  const listing = shown();
  const { count, isWhole, cause } = await runJob(`${title} of ${visible(drive)}`, run);
  if (isWhole) selection.clear();
  if (isWhole && !isPartial && shown() === listing) listing.update(change).catch(tellFailure);
  // A folder that was opened in the meantime was read in the middle of the work.
  else if (concerns(change, shown().folder)) reread();
  const what = isPartial ? countOf(count, 'file') : filesOrFolder(count);
  if (isWhole) tell(`${verb} ${what}`, { undo: undo?.(count), of: drive });
  else {
    if (cause !== undefined) tellFailure(cause);
    tell(`${verb} only ${countOf(count, 'file')}`, { of: drive });
  }
}

function askToDelete(place: ActionsPlace, entries: readonly Entry[]): void {
  const { drive } = place;
  const hasFolders = entries.some(({ file }) => file === undefined);
  confirm({
    title: `Delete ${describe(entries)}?`,
    text: (
      <div class="stack">
        {hasFolders && <FilesBelow drive={drive} entries={entries} />}
        <TrashOffer drive={drive} what="deleted" />
      </div>
    ),
    verb: 'Delete',
    danger: true,
    // With a trash a mistake can be undone.
    typed: hasFolders && typeof trashOf(drive) !== 'string' ? 'delete' : undefined,
    async act() {
      if (isAmong(entries, openFile(drive))) setParameters({ file: '' });
      // The dialog closes, and the work shows itself how far it is.
      followWork(place, deletionOf(place, entries)).catch(tellFailure);
    },
  });
}

/** Folders that an undo makes again, one by one. */
const maxMadeAgain = 100;

/** The deletion of entries with all that is below them. What comes to a trash can be brought back. */
function deletionOf({ drive, reread }: ActionsPlace, entries: readonly Entry[]): FileWork {
  const hasTrash = typeof trashOf(drive) === 'string';
  const deleted: string[] = [];
  const folders: string[] = [];
  const restore = async () => {
    const count = await restoreDeleted(drive, deleted);
    for (const name of folders) await makeFolder(drive, name);
    return count;
  };
  const bringBack = () =>
    void runJob(`Bringing files of ${visible(drive)} back`, restore)
      .then((count) => tell(`Brought back ${filesOrFolder(count)}`, { of: drive }))
      .catch(tellFailure)
      .finally(reread);
  return {
    title: 'Deleting files',
    verb: 'Deleted',
    change: { gone: namesOf(entries), stored: [] },
    undo: (count) =>
      (hasTrash || count === 0) && deleted.length <= maxUndone && folders.length <= maxMadeAgain
        ? { what: 'deletion', run: bringBack }
        : undefined,
    run: (control) =>
      deleteEntries(drive, entries, control, (names) => {
        for (const name of names) (name.endsWith('/') ? folders : deleted).push(name);
      }),
  };
}

const describe = (entries: readonly Entry[]) =>
  entries.length === 1 ? visible(entries[0]?.label ?? '') : `${formatCount(entries.length)} entries`;

/** The name of the file of a drive that is open; empty for none. */
function openFile(drive: string): string {
  const open = route.peek();
  return open.screen === 'drives' && open.name === drive ? (open.parameters.file ?? '') : '';
}

/** Whether a folder, or one around it, or something in it, was changed. */
function concerns({ gone, stored }: Required<FolderChange>, folder: string): boolean {
  return [...gone, ...stored].some((name) => name.startsWith(folder) || folder.startsWith(name));
}
