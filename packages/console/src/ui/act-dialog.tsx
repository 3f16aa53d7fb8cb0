import type { ComponentChildren } from 'preact';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { Form } from './form.js';
import type { IconName } from './icon.js';
import { Problem } from './problem.js';
import type { Task } from './task.js';

interface ActDialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** What the button says that does it. */
  readonly verb: string;
  readonly icon?: IconName | undefined;
  /** Whether something is lost by it. */
  readonly isDanger?: boolean;
  /** Whether it can be done as things are. */
  readonly isReady?: boolean;
  /** Its work: the button shows that it is in progress, and the content ends with why it failed. */
  readonly task?: Pick<Task, 'busy' | 'problem'>;
  /** Enter in a field does it, too. */
  readonly isForm?: boolean;
  /** What the button says that leads away. */
  readonly back?: string;
  readonly form?: 'narrow' | 'wide';
  onAct(): void;
  /** The button that leads away; closes the dialog unless it is given. */
  onBack?(): void;
  onClose(): void;
}

/** A dialog that asks for one thing to be done, or left. */
export function ActDialog(props: ActDialogProps) {
  const { title, children, verb, icon, isDanger = false, isReady = true, task, isForm = false } = props;
  const { back = 'Cancel', form = 'narrow', onAct, onClose, onBack = onClose } = props;
  const { busy = false, problem } = task ?? {};
  return (
    <Dialog
      title={title}
      form={form}
      onClose={onClose}
      actions={
        <>
          <Button text={back} onClick={onBack} />
          <Button
            text={verb}
            variant={isDanger ? 'danger' : 'primary'}
            icon={icon}
            busy={busy}
            disabled={!isReady}
            onClick={({ detail }) => {
              // A second click may be meant for what the button did before.
              if (!isDanger || detail <= 1) onAct();
            }}
          />
        </>
      }
    >
      {isForm ? (
        <Form onSubmit={() => isReady && !busy && onAct()}>
          {children}
          <button type="submit" hidden aria-hidden="true" tabIndex={-1} />
          <Problem text={problem} />
        </Form>
      ) : (
        <div class="stack">
          {children}
          <Problem text={problem} />
        </div>
      )}
    </Dialog>
  );
}
