import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { IconButton } from './button.js';

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** The buttons at its end. */
  readonly actions?: ComponentChildren;
  /** `wide` for tables and editors; `side` is a sheet at the edge, `full` covers a phone. */
  readonly form?: 'narrow' | 'wide' | 'side' | 'full';
  /** Nothing in it takes the focus, so that it takes the focus itself: to be scrolled with the keyboard. */
  readonly isText?: boolean;
  onClose(): void;
}

/** What has the focus first: a field, else the button that does what the dialog asks. */
const firstOf = '.dialog-body :is(input, textarea), .dialog-actions button:last-child:not(:disabled)';

/** A modal dialog. Escape and a click beside it close it; the focus returns to where it was. */
export function Dialog({ title, children, actions, form = 'narrow', isText = false, onClose }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    element?.showModal();
    // What the dialog is for, not the button that closes it.
    element?.querySelector<HTMLElement>(firstOf)?.focus();
    return () => {
      element?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={`dialog ${form}`}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <div class="dialog-box">
        <header class="dialog-head">
          <h2 id={heading}>{title}</h2>
          <IconButton icon="x" label="Close" onClick={onClose} />
        </header>
        <div class="dialog-body" tabIndex={isText ? 0 : undefined}>
          {children}
        </div>
        {actions !== undefined && <footer class="dialog-actions">{actions}</footer>}
      </div>
    </dialog>
  );
}
