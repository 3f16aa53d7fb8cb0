import type { FileTransfer } from 'basedrive-client';
import type { Selection } from '../grid/selection.js';
import { setParameters } from '../router.js';
import { confirm } from '../ui/confirm.js';
import { countOf, formatCount } from '../ui/format.js';
import { type JobControl, runJob } from '../ui/jobs.js';
import { tell, tellFailure } from '../ui/toast.js';
import { visible } from '../ui/visible.js';
import type { FilesChanged } from './chosen-names.js';
import type { Choice, Choices } from './conflicts.js';
import { deleteEntries } from './delete-files.js';
import type { Entry } from './entry.js';
import { FilesBelow } from './files-below.js';
import type { FolderChange, FolderListing } from './folder-listing.js';
import { moveBack, moveEntries, type NameOf } from './move-files.js';

interface FileActions {
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
  readonly listing: FolderListing;
  readonly selection: Selection;
  /** Reads the folder again from its start. */
  reread(): void;
}

/** Files whose move can be taken back. */
const maxUndone = 10_000;

/** How work that has changed this many files is taken back; undefined if it cannot be. */
type Undo = (count: number) => { readonly label: string; run(): void } | undefined;

interface MoveWork {
  /** The names that files or folders have then. */
  readonly stored: readonly string[];
  readonly choices: Choices;
  /** Of the work while it is in progress. */
  readonly title: string;
  /** What was done, in the past tense. */
  readonly verb: string;
}

/** What is done with the entries of a folder, and how the page follows. */
export function fileActions({ drive, listing, selection, reread }: ActionsPlace): FileActions {
  /**
   * Does a change of files, and shows what is then there: also after a stop or a failure in the middle. Without a
   * `change`, the folder is read again.
   */
  async function follow(
    title: string,
    work: (control: JobControl) => Promise<FilesChanged>,
    verb: string,
    change: FolderChange | undefined,
    undo?: Undo,
  ): Promise<void> {
    const { count, isWhole, cause } = await runJob(`${title} of ${visible(drive)}`, work);
    if (isWhole) {
      selection.clear();
      if (change === undefined) reread();
      else listing.update(change).catch(tellFailure);
      tell(`${verb} ${countOf(count, 'file')}`, undo?.(count));
    } else {
      reread();
      if (cause !== undefined) tellFailure(cause);
      tell(`${verb} only ${countOf(count, 'file')}`);
    }
  }

  /** Notes moves, and says how all of them are taken back: not if a file was replaced, nor if they are very many. */
  function undoable(): { onMoved(pairs: readonly FileTransfer[]): void; readonly undo: Undo } {
    const moved: FileTransfer[] = [];
    const back = () =>
      runJob(`Moving files of ${visible(drive)} back`, () => moveBack(drive, moved))
        .then(() => tell(`Moved ${countOf(moved.length, 'file')} back`))
        .catch(tellFailure)
        .finally(reread);
    return {
      onMoved(pairs) {
        if (moved.length <= maxUndone) moved.push(...pairs);
      },
      undo: (count) =>
        moved.length === count && count <= maxUndone ? { label: 'Undo', run: () => void back() } : undefined,
    };
  }

  /** Resolves when the first files are moved; rejects if none could be. */
  function moveTo(
    entries: readonly Entry[],
    nameOf: NameOf,
    { stored, choices, title, verb }: MoveWork,
  ): Promise<void> {
    const isPartial = [...choices.values()].some(({ kind }) => kind === 'skip');
    const { onMoved, undo } = undoable();
    return new Promise((resolve, reject) => {
      const work = (control: JobControl) => {
        const report: JobControl['report'] = (done) => {
          resolve();
          control.report(done);
        };
        return moveEntries(drive, entries, nameOf, { choices, control: { ...control, report }, onMoved });
      };
      // What was skipped stays, also below folders.
      const change = isPartial ? undefined : { gone: namesOf(entries), stored };
      follow(title, work, verb, change, undo).then(resolve, reject);
    });
  }

  const describe = (entries: readonly Entry[]) =>
    entries.length === 1 ? visible(entries[0]?.label ?? '') : `${formatCount(entries.length)} entries`;
  const namesOf = (entries: readonly Entry[]) => entries.map(({ name }) => name);

  return {
    askToDelete(entries) {
      if (entries.length === 0) return;
      const hasFolders = entries.some(({ file }) => file === undefined);
      confirm({
        title: `Delete ${describe(entries)}?`,
        text: hasFolders ? <FilesBelow drive={drive} entries={entries} /> : 'This cannot be undone.',
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

    move(entries, folder, choices) {
      const stored = entries.map(({ label }) => folder + label);
      return moveTo(entries, ({ label }) => folder + label, {
        stored,
        choices,
        title: 'Moving files',
        verb: 'Moved',
      });
    },

    renameFolder(entry, to, choices) {
      const told = { title: 'Renaming a folder', verb: 'Renamed' };
      return moveTo([entry], () => to, { stored: [to], choices, ...told });
    },

    async rename(entry, to, isReplacing) {
      const choices = new Map<string, Choice>(isReplacing ? [[to, { kind: 'replace' }]] : []);
      const { onMoved, undo } = undoable();
      const work = (control: JobControl) =>
        moveEntries(drive, [entry], () => to, { choices, control, onMoved });
      await follow('Renaming a file', work, 'Renamed', { gone: [entry.name], stored: [to] }, undo);
      setParameters({ file: to });
    },
  };
}
