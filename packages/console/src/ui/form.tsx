import type { ComponentChildren } from 'preact';

interface FormProps {
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly label?: string;
  onSubmit(): void;
}

/** Fields that Enter sends, to a function in place of an address. */
export function Form({ children, class: name = 'stack', label, onSubmit }: FormProps) {
  return (
    <form
      class={name}
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}
