import type { FileTransfer } from 'basedrive-client';
import type { Selection } from '../grid/selection.js';
import { route, setParameters } from '../router.js';
import { confirm } from '../ui/confirm.js';
import { countOf, formatCount } from '../ui/format.js';
import { type JobControl, runJob } from '../ui/jobs.js';
import { tell, tellFailure, type Undo } from '../ui/toast.js';
import { visible } from '../ui/visible.js';
import { deleteEntries } from './delete-files.js';
import type { Entry } from './entry.js';
import { isAmong } from './entry-files.js';
import { FilesBelow } from './files-below.js';
import { moveBack, moveEntries } from './moves/move-files.js';
import type { NameOf } from './moves/move-order.js';
import type { FilesChanged } from './names/chosen-names.js';
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

/** Files whose move can be taken back. */
const maxUndone = 10_000;

/** How work that has changed this many files is taken back; undefined if it cannot be. */
type UndoOf = (count: number) => Undo | undefined;

/** Work on files, and what becomes of the folder that shows them. */
interface FileWork {
  /** What is shown while it is in progress. */
  readonly title: string;
  /** What was done, in the past tense. */
  readonly verb: string;
  readonly change: Required<FolderChange>;
  /** Whether some of the entries that are to be gone may still be there after it. */
  readonly isPartial?: boolean;
  readonly undo?: UndoOf;
  run(control: JobControl): Promise<FilesChanged>;
}

interface MoveWords extends Pick<FileWork, 'title' | 'verb'> {
  /** The names that files or folders have then. */
  readonly stored: readonly string[];
}

/** What is done with the entries of a folder, and how the page follows. */
export function fileActions({ drive, shown, selection, reread }: ActionsPlace): FileActions {
  /** Does work on files, and shows what is then there: also after a stop or a failure in the middle. */
  async function follow({ title, verb, change, isPartial = false, undo, run }: FileWork): Promise<void> {
    const listing = shown();
    const { count, isWhole, cause } = await runJob(`${title} of ${visible(drive)}`, run);
    if (isWhole) selection.clear();
    if (isWhole && !isPartial && shown() === listing) listing.update(change).catch(tellFailure);
    // A folder that was opened in the meantime was read in the middle of the work.
    else if (concerns(change, shown().folder)) reread();
    if (isWhole) tell(`${verb} ${countOf(count, 'file')}`, { undo: undo?.(count), of: drive });
    else {
      if (cause !== undefined) tellFailure(cause);
      tell(`${verb} only ${countOf(count, 'file')}`, { of: drive });
    }
  }

  /** Notes moves, and says how all of them are taken back: not if a file was replaced, nor if they are very many. */
  function undoable(): { onMoved(pairs: readonly FileTransfer[]): void; readonly undo: UndoOf } {
    const moved: FileTransfer[] = [];
    const back = () =>
      runJob(`Moving files of ${visible(drive)} back`, () => moveBack(drive, moved))
        .then(() => tell(`Moved ${countOf(moved.length, 'file')} back`, { of: drive }))
        .catch(tellFailure)
        .finally(reread);
    return {
      onMoved(pairs) {
        if (moved.length <= maxUndone) moved.push(...pairs);
      },
      undo: (count) =>
        count > 0 && moved.length === count && count <= maxUndone
          ? { what: 'move', run: () => void back() }
          : undefined,
    };
  }

  /** Resolves when the first files are moved; rejects if none could be. */
  function moveTo(
    entries: readonly Entry[],
    nameOf: NameOf,
    choices: Choices,
    { stored, ...words }: MoveWords,
  ): Promise<void> {
    // What was skipped stays, also below folders; and a folder that moves up may have one of its own name.
    const isPartial =
      [...choices.values()].some(({ kind }) => kind === 'skip') ||
      entries.some((entry) => entry.file === undefined && entry.name.startsWith(nameOf(entry)));
    const { onMoved, undo } = undoable();
    return new Promise((resolve, reject) => {
      const run = (control: JobControl) => {
        const report: JobControl['report'] = (done) => {
          if (done > 0) resolve();
          control.report(done);
        };
        return moveEntries(drive, entries, nameOf, { choices, control: { ...control, report }, onMoved });
      };
      const change = { gone: namesOf(entries), stored };
      follow({ ...words, change, isPartial, undo, run }).then(resolve, reject);
    });
  }

  function bringBack(names: readonly string[]): void {
    runJob(`Bringing files of ${visible(drive)} back`, () => restoreDeleted(drive, names))
      .then((count) => tell(`Brought back ${countOf(count, 'file')}`, { of: drive }))
      .catch(tellFailure)
      .finally(reread);
  }

  const describe = (entries: readonly Entry[]) =>
    entries.length === 1 ? visible(entries[0]?.label ?? '') : `${formatCount(entries.length)} entries`;
  /** The name of the file that is open; empty for none. */
  const openFile = () => {
    const open = route.peek();
    return open.screen === 'drives' && open.name === drive ? (open.parameters.file ?? '') : '';
  };
  const namesOf = (entries: readonly Entry[]) => entries.map(({ name }) => name);

  return {
    askToDelete(entries) {
      if (entries.length === 0) return;
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
          const hasTrash = typeof trashOf(drive) === 'string';
          const deleted: string[] = [];
          if (isAmong(entries, openFile())) setParameters({ file: '' });
          // The dialog closes, and the work shows itself how far it is.
          follow({
            title: 'Deleting files',
            verb: 'Deleted',
            change: { gone: namesOf(entries), stored: [] },
            undo: () =>
              hasTrash && deleted.length <= maxUndone
                ? { what: 'deletion', run: () => bringBack(deleted) }
                : undefined,
            run: (control) => deleteEntries(drive, entries, control, (names) => deleted.push(...names)),
          }).catch(tellFailure);
        },
      });
    },

    move(entries, folder, choices) {
      const stored = entries.map(({ label }) => folder + label);
      const words = { title: 'Moving files', verb: 'Moved', stored };
      return moveTo(entries, ({ label }) => folder + label, choices, words);
    },

    renameFolder(entry, to, choices) {
      return moveTo([entry], () => to, choices, {
        title: 'Renaming a folder',
        verb: 'Renamed',
        stored: [to],
      });
    },

    async rename(entry, to, isReplacing) {
      const choices = new Map<string, Choice>(isReplacing ? [[to, { kind: 'replace' }]] : []);
      const { onMoved, undo } = undoable();
      await follow({
        title: 'Renaming a file',
        verb: 'Renamed',
        change: { gone: [entry.name], stored: [to] },
        undo,
        run: (control) => moveEntries(drive, [entry], () => to, { choices, control, onMoved }),
      });
      if (openFile() === entry.name) setParameters({ file: to });
    },
  };
}

/** Whether a folder, or one around it, or something in it, was changed. */
function concerns({ gone, stored }: Required<FolderChange>, folder: string): boolean {
  return [...gone, ...stored].some((name) => name.startsWith(folder) || folder.startsWith(name));
}
