import type { ComponentChildren, ComponentProps } from 'preact';
import { ActDialog } from '../../ui/act-dialog.js';
import { Form } from '../../ui/form.js';
import { Problem } from '../../ui/problem.js';
import type { Task } from '../../ui/task.js';
import { TextField } from '../../ui/text-field.js';

interface PathDialogProps
  extends Omit<ComponentProps<typeof ActDialog>, 'children' | 'form' | 'isForm' | 'onBack'> {
  /** What the field asks for. */
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  /** What is wrong takes the place of the hint, until something else is typed. */
  readonly task: Task;
  readonly isReady: boolean;
  /** More of the dialog, below the field. */
  readonly children?: ComponentChildren;
  onText(text: string): void;
}

/** A dialog that asks for a path. Where something is lost by it, Enter in the field does nothing. */
export function PathDialog({ label, hint, value, task, children, onText, ...rest }: PathDialogProps) {
  const { isReady, isDanger = false, onAct } = rest;
  const { busy, problem, clear } = task;
  return (
    <ActDialog {...rest} task={{ busy, problem: '' }}>
      <Form onSubmit={() => isReady && !busy && !isDanger && onAct()}>
        <TextField
          label={label}
          class="input mono"
          value={value}
          aria-invalid={problem !== ''}
          onInput={(typed) => {
            onText(typed);
            clear();
          }}
        />
        {problem === '' ? <p class="hint">{hint}</p> : <Problem text={problem} />}
      </Form>
      {children}
    </ActDialog>
  );
}
