import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { IconButton } from './button.js';
import { keepFocus } from './focus.js';

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Icons next to its title. */
  readonly tools?: ComponentChildren;
  /** The buttons at its end. */
  readonly actions?: ComponentChildren;
  /** `wide` for tables and editors; `top` for what grows and shrinks; `side` and `end` are sheets at the edges, `full` covers a phone. */
  readonly form?: 'narrow' | 'wide' | 'side' | 'end' | 'full' | 'top';
  /** Nothing in it takes the focus, so that it takes the focus itself: to be scrolled with the keyboard. */
  readonly isText?: boolean;
  /** Only its buttons close it: what it shows is not shown again. */
  readonly isKept?: boolean;
  onClose(): void;
}

/** What has the focus first: a field, else the button that does what the dialog asks. */
const firstOf = '.dialog-body :is(input, textarea), .dialog-actions button:last-child:not(:disabled)';

/** A modal dialog. Escape and a click outside it close it; the focus returns to where it was. */
export function Dialog(props: DialogProps) {
  const { title, children, tools, actions, form = 'narrow', isText = false, isKept = false, onClose } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  /** Whether the pointer went down outside the dialog. A text that is selected beyond its edge must not close it. */
  const isDownBeside = useRef(false);
  useEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    element?.showModal();
    // What the dialog is for, not the button that closes it.
    // Over the whole of a phone it is read first: a field would bring the keyboard up.
    if (form !== 'full') element?.querySelector<HTMLElement>(firstOf)?.focus();
    return () => {
      element?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
      // What opened it may be gone, or goes with it.
      requestAnimationFrame(keepFocus);
    };
  }, []);
  useEffect(() => {
    if (!isKept) return;
    // A browser closes a dialog at the second Escape, although the first one was refused.
    const onKeyDown = (event: KeyboardEvent) => event.key === 'Escape' && event.preventDefault();
    addEventListener('keydown', onKeyDown, true);
    return () => removeEventListener('keydown', onKeyDown, true);
  }, [isKept]);
  return (
    <dialog
      ref={dialog}
      class={`dialog ${form}`}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        if (!isKept) onClose();
      }}
      onPointerDown={(event) => {
        isDownBeside.current = event.target === dialog.current;
      }}
      onClick={(event) => {
        if (event.target === dialog.current && isDownBeside.current && !isKept) onClose();
      }}
    >
      <div class="dialog-box">
        <header class="dialog-head">
          <h2 id={heading}>{title}</h2>
          {tools}
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
