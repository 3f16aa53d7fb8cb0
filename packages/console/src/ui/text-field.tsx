interface TextFieldProps {
  readonly label: string;
  /** What is meant if nothing is typed, or an example. */
  readonly hint: string;
  readonly value: string;
  onInput(value: string): void;
}

/** A field for names and addresses, which nobody completes or corrects. */
export function TextField({ label, hint, value, onInput }: TextFieldProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <input
        class="input"
        value={value}
        dir="auto"
        placeholder={hint}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </label>
  );
}
