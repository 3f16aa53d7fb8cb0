import type { ComponentChildren } from 'preact';
import { Button } from './button.js';
import { Dialog } from './dialog.js';

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
      actions={<Button text="Done" variant="primary" onClick={onClose} />}
    >
      <div class="stack">{children}</div>
    </Dialog>
  );
}
