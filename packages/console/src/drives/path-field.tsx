import type { ComponentChildren } from 'preact';
import { Problem } from '../ui/problem.js';

interface PathFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly problem: string;
  /** More of the form, below the field. */
  readonly children?: ComponentChildren;
  onText(text: string): void;
  /** Enter was pressed. */
  onSubmit(): void;
}

/** A form that asks for a path. */
export function PathField({ label, hint, value, problem, children, onText, onSubmit }: PathFieldProps) {
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
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
      {children}
    </form>
  );
}
