import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Dialog } from './dialog.js';
import { Problem } from './problem.js';
import { type TaskControl, useTask } from './task.js';
import { TaskActions } from './task-actions.js';

interface Question {
  readonly title: string;
  readonly text: ComponentChildren;
  /** What the button says: the verb of the title. */
  readonly verb: string;
  readonly danger?: boolean;
  /** The text that must be typed first, where a mistake cannot be undone. */
  readonly typed?: string | undefined;
  /** The work. The dialog stays open while it is in progress, and shows its error. */
  act(control: TaskControl): Promise<void>;
}

const question = signal<Question | undefined>(undefined);

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
    task.run(async (control) => {
      await act(control);
      question.value = undefined;
    });
  return (
    <Dialog
      title={title}
      onClose={close}
      actions={
        <TaskActions
          task={task}
          verb={verb}
          danger={danger}
          disabled={typed !== undefined && given !== typed}
          onRun={() => void run()}
          onCancel={close}
        />
      }
    >
      <div class="stack">
        <div>{text}</div>
        {typed !== undefined && (
          <label class="field">
            <span>
              Type <code>{typed}</code> to continue
            </span>
            <input class="input" value={given} onInput={(event) => setGiven(event.currentTarget.value)} />
          </label>
        )}
        <Problem text={task.problem} />
      </div>
    </Dialog>
  );
}
