import type { ComponentChildren } from 'preact';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { Form } from './form.js';
import { Problem } from './problem.js';

interface CreateDialogProps {
  readonly title: string;
  /** The fields. */
  readonly children: ComponentChildren;
  readonly busy: boolean;
  readonly problem: string | undefined;
  /** The button, or Enter in a field. */
  onCreate(): void;
  onClose(): void;
}

/** Asks what is to be made, and says what is wrong with it. */
export function CreateDialog({ title, children, busy, problem, onCreate, onClose }: CreateDialogProps) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" busy={busy} onClick={onCreate}>
            Create
          </Button>
        </>
      }
    >
      <Form onSubmit={onCreate}>
        {children}
        {/* Enter in a field creates it. */}
        <button type="submit" hidden aria-hidden="true" tabIndex={-1} />
        <Problem text={problem} />
      </Form>
    </Dialog>
  );
}

interface ShownOnceProps {
  readonly title: string;
  readonly children: ComponentChildren;
  onClose(): void;
}

/** Shows what nobody can read later: only its button closes it. */
export function ShownOnce({ title, children, onClose }: ShownOnceProps) {
  return (
    <Dialog
      title={title}
      isKept
      onClose={onClose}
      actions={
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div class="stack">{children}</div>
    </Dialog>
  );
}
