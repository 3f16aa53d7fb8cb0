import { useState } from 'preact/hooks';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { Problem } from '../ui/problem.js';
import { useTask } from '../ui/task.js';

interface PathDialogProps {
  readonly title: string;
  readonly label: string;
  readonly hint: string;
  readonly verb: string;
  readonly value: string;
  /** Does the work with the text. The dialog stays open while it is in progress, and shows its error. */
  act(text: string): Promise<void>;
  onClose(): void;
}

/** Asks for a path: the new name of a file, or the folder to move to. */
export function PathDialog({ title, label, hint, verb, value, act, onClose }: PathDialogProps) {
  const [text, setText] = useState(value);
  const task = useTask();
  const { busy, problem } = task;
  const run = () =>
    task.run(async () => {
      await act(text);
      onClose();
    });
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" busy={busy} disabled={text === value} onClick={() => void run()}>
            {verb}
          </Button>
        </>
      }
    >
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (text !== value && !busy) void run();
        }}
      >
        <label class="field">
          <span>{label}</span>
          <input
            class="input mono"
            value={text}
            autocomplete="off"
            spellcheck={false}
            aria-invalid={problem !== ''}
            onInput={(event) => {
              setText(event.currentTarget.value);
              task.clear();
            }}
          />
        </label>
        {problem === '' ? <p class="hint">{hint}</p> : <Problem text={problem} />}
      </form>
    </Dialog>
  );
}
