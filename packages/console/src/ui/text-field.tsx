import type { HTMLAttributes } from 'preact';
import { useId } from 'preact/hooks';

interface TextInputProps extends Omit<HTMLAttributes<HTMLInputElement>, 'onInput' | 'role'> {
  readonly value: string;
  readonly placeholder?: string;
  readonly disabled?: boolean;
  readonly maxLength?: number;
  /** Called with the whole text. */
  onInput(text: string): void;
}

/** A field for names, addresses and values, which nobody completes or corrects. */
export function TextInput({ onInput, ...rest }: TextInputProps) {
  return (
    <input
      class="input"
      autocomplete="off"
      spellcheck={false}
      {...rest}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  );
}

/** The same with its label above it. */
export function TextField({ label, ...rest }: TextInputProps & { readonly label: string }) {
  const id = useId();
  return (
    <label class="field" for={id}>
      <span>{label}</span>
      <TextInput {...rest} id={id} />
    </label>
  );
}
