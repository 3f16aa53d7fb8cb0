import type { FileTransfer } from 'basedrive-client';
import { type JobControl, runJob } from '../../ui/jobs.js';
import { tell, tellFailure } from '../../ui/toast.js';
import { visible } from '../../ui/visible.js';
import type { Entry } from '../entry.js';
import { type FileWork, filesOrFolder, maxUndone, namesOf, type UndoOf } from '../file-work.js';
import type { Choices } from '../names/conflicts.js';
import { moveBack, moveEntries } from './move-files.js';
import type { NameOf } from './move-order.js';

interface MoveWords extends Pick<FileWork, 'title' | 'verb'> {
  /** The names of the files or folders after the move. */
  readonly stored: readonly string[];
}

interface MovesPlace {
  readonly drive: string;
  /** Does work on files, and then shows the folder as it is. */
  follow(work: FileWork): Promise<void>;
  /** Reads the folder again from its start. */
  reread(): void;
}

/** Moves and new names of entries, which can be taken back. */
export interface FileMoves {
  /** Resolves when the first files are moved; rejects if none could be moved. `choices`: see `moveEntries`. */
  moveTo(entries: readonly Entry[], nameOf: NameOf, choices: Choices, words: MoveWords): Promise<void>;
  /** Gives a file another name. */
  rename(entry: Entry, to: string, choices: Choices): Promise<void>;
}

export function fileMoves({ drive, follow, reread }: MovesPlace): FileMoves {
  return {
    moveTo(entries, nameOf, choices, { stored, ...words }) {
      // What was skipped stays, also below folders; and a folder that moves up may have one of its own name.
      const isPartial =
        [...choices.values()].some(({ kind }) => kind === 'skip') ||
        entries.some((entry) => entry.file === undefined && entry.name.startsWith(nameOf(entry)));
      const { onMoved, undo } = undoable(drive, reread);
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
    },

    rename(entry, to, choices) {
      const { onMoved, undo } = undoable(drive, reread);
      return follow({
        title: 'Renaming a file',
        verb: 'Renamed',
        change: { gone: [entry.name], stored: [to] },
        undo,
        run: (control) => moveEntries(drive, [entry], () => to, { choices, control, onMoved }),
      });
    },
  };
}

/** Notes moves, and gives what takes all of them back. Nothing does if a file was replaced, or if they are too many. */
function undoable(
  drive: string,
  reread: () => void,
): { onMoved(pairs: readonly FileTransfer[]): void; readonly undo: UndoOf } {
  const moved: FileTransfer[] = [];
  const folders: FileTransfer[] = [];
  const back = () =>
    runJob(`Moving files of ${visible(drive)} back`, () => moveBack(drive, [...moved, ...folders]))
      .then(() => tell(`Moved ${filesOrFolder(moved.length)} back`, { of: drive }))
      .catch(tellFailure)
      .finally(reread);
  return {
    onMoved(pairs) {
      const isFolder = ({ from }: FileTransfer) => from.endsWith('/');
      if (folders.length <= maxUndone) folders.push(...pairs.filter(isFolder));
      if (moved.length <= maxUndone) moved.push(...pairs.filter((pair) => !isFolder(pair)));
    },
    undo: (count) =>
      moved.length === count && Math.max(count, folders.length) <= maxUndone && count + folders.length > 0
        ? { what: 'move', run: () => void back() }
        : undefined,
  };
}
