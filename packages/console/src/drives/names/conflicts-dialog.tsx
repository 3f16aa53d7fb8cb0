import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ActDialog } from '../../ui/act-dialog.js';
import { countOf } from '../../ui/format.js';
import { useTask } from '../../ui/task.js';
import { TrashOffer } from '../trash/trash-offer.js';
import { type ChoiceWords, ConflictList } from './conflict-list.js';
import type { Choice, Choices, Conflict } from './conflicts.js';

/** What the question needs. */
export interface ConflictsDialogProps {
  /** What the user is about to do, and that nothing is done yet. */
  readonly children: ComponentChildren;
  readonly drive: string;
  readonly conflicts: readonly Conflict[];
  readonly words: ChoiceWords;
  /** What the button says that does it. */
  readonly verb: string;
  /** What the other button says. */
  readonly back: string;
  act(choices: Choices): Promise<void>;
  onBack(): void;
  onClose(): void;
}

/** Asks what becomes of each file whose new name another file has. At first each gets a name that is free. */
export function ConflictsDialog(props: ConflictsDialogProps) {
  const { children, drive, conflicts, words, verb, back, act, onBack, onClose } = props;
  const [choices, setChoices] = useState<Choices>(
    () => new Map(conflicts.map(({ to, free }): [string, Choice] => [to, { kind: 'rename', name: free }])),
  );
  const task = useTask();
  return (
    <ActDialog
      title={`${countOf(conflicts.length, 'name is', 'names are')} taken`}
      verb={verb}
      back={back}
      task={task}
      onAct={() => task.run(() => act(choices))}
      onBack={onBack}
      onClose={onClose}
    >
      <p>{children}</p>
      <ConflictList
        conflicts={conflicts}
        choices={choices}
        words={words}
        onChoose={(chosen) => {
          setChoices(chosen);
          task.clear();
        }}
      />
      {[...choices.values()].some(({ kind }) => kind === 'replace') && (
        <TrashOffer drive={drive} what="replaced" />
      )}
    </ActDialog>
  );
}
