import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { perKey } from '../api/session.js';
import { ActDialog } from './act-dialog.js';
import { useTask } from './task.js';

interface Question {
  readonly title: string;
  readonly text: ComponentChildren;
  /** What the button says: the verb of the title. */
  readonly verb: string;
  readonly danger?: boolean;
  /** The text that must be typed first, where a mistake cannot be undone. */
  readonly typed?: string | undefined;
  /** The work. The dialog stays open while it is in progress, and shows its error. */
  act(): Promise<void>;
}

const question = perKey<Question | undefined>(undefined);

/** Asks before something that cannot be undone. */
export function confirm(asked: Question): void {
  question.value = asked;
}

/** The place of the questions, once on the page. */
export function ConfirmPlace() {
  return question.value === undefined ? null : <ConfirmDialog {...question.value} />;
}

function ConfirmDialog({ title, text, verb, danger = false, typed, act }: Question) {
  const task = useTask();
  const [given, setGiven] = useState('');
  const close = () => {
    if (!task.busy) question.value = undefined;
  };
  const run = () =>
    task.run(async () => {
      await act();
      question.value = undefined;
    });
  return (
    <ActDialog
      title={title}
      verb={verb}
      isDanger={danger}
      isReady={typed === undefined || given === typed}
      task={task}
      onAct={run}
      onClose={close}
    >
      <div>{text}</div>
      {typed !== undefined && (
        <label class="field">
          <span>
            Type <code>{typed}</code> to continue
          </span>
          <input class="input" value={given} onInput={(event) => setGiven(event.currentTarget.value)} />
        </label>
      )}
    </ActDialog>
  );
}
