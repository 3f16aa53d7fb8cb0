import type { ComponentChildren } from 'preact';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import type { IconName } from '../../ui/icon.js';
import { Problem } from '../../ui/problem.js';

interface PathDialogProps {
  readonly title: string;
  /** What the field asks for. */
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  /** What is wrong; empty for nothing. It takes the place of the hint. */
  readonly problem: string;
  /** What the button says that does it. */
  readonly verb: string;
  readonly icon?: IconName;
  /** Whether something is lost by it. Then Enter in the field does nothing. */
  readonly isDanger?: boolean;
  /** Whether it can be done with the text that is typed. */
  readonly isReady: boolean;
  readonly busy: boolean;
  /** What the button says that closes the dialog. */
  readonly close?: string;
  /** More of the dialog, below the field. */
  readonly children?: ComponentChildren;
  onText(text: string): void;
  onAct(): void;
  onClose(): void;
}

/** A dialog that asks for a path. */
export function PathDialog(props: PathDialogProps) {
  const { title, label, hint, value, problem, verb, icon, isDanger = false, close = 'Cancel' } = props;
  const { isReady, busy, children, onText, onAct, onClose } = props;
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{close}</Button>
          <Button
            variant={isDanger ? 'danger' : 'primary'}
            icon={icon}
            busy={busy}
            disabled={!isReady}
            onClick={({ detail }) => {
              // A second click may be meant for what the button did before.
              if (!isDanger || detail <= 1) onAct();
            }}
          >
            {verb}
          </Button>
        </>
      }
    >
      <div class="stack">
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            if (isReady && !busy && !isDanger) onAct();
          }}
        >
          <label class="field">
            <span>{label}</span>
            <input
              class="input mono"
              value={value}
              autocomplete="off"
              spellcheck={false}
              aria-invalid={problem !== ''}
              onInput={(event) => onText(event.currentTarget.value)}
            />
          </label>
          {problem === '' ? <p class="hint">{hint}</p> : <Problem text={problem} />}
        </form>
        {children}
      </div>
    </Dialog>
  );
}
