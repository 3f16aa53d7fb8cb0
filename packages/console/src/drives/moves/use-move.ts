import { useEffect, useMemo, useState } from 'preact/hooks';
import { type Task, useTask } from '../../ui/task.js';
import type { Entry } from '../entry.js';
import type { ChoiceWords } from '../names/conflict-list.js';
import type { Choices, Conflict } from '../names/conflicts.js';
import type { ConflictsDialogProps } from '../names/conflicts-dialog.js';
import { findConflicts } from './move-files.js';
import type { NameOf } from './move-order.js';

const words: ChoiceWords = {
  rename: 'Move it under another name',
  replace: 'Replace the file there',
  skip: 'Leave it where it is',
};

interface MoveWork {
  readonly drive: string;
  readonly entries: readonly Entry[];
  readonly nameOf: NameOf;
  /** Moves them. Resolves when the first files are moved. */
  act(choices: Choices): Promise<void>;
  onClose(): void;
}

interface Move {
  readonly task: Task;
  /** What `ConflictsDialog` needs to ask about names that are taken; undefined while none is known. */
  readonly question: Omit<ConflictsDialogProps, 'verb' | 'children'> | undefined;
  /** Looks which names are taken. If none is, moves the entries; else there is a question. */
  start(): void;
}

/** The work of a dialog that moves entries. If files have the names, it asks about each before anything moves. */
export function useMove({ drive, entries, nameOf, act, onClose }: MoveWork): Move {
  const [conflicts, setConflicts] = useState<readonly Conflict[]>([]);
  const ended = useMemo(() => new AbortController(), []);
  const task = useTask();
  useEffect(() => () => ended.abort(), []);
  const go = async (choices: Choices) => {
    await act(choices);
    onClose();
  };
  return {
    task,
    question:
      conflicts.length === 0
        ? undefined
        : { drive, conflicts, words, back: 'Back', act: go, onBack: () => setConflicts([]), onClose },
    start() {
      void task.run(async () => {
        const found = await findConflicts(drive, entries, nameOf, ended.signal);
        ended.signal.throwIfAborted();
        if (found.length === 0) await go(new Map());
        else setConflicts(found);
      });
    },
  };
}
