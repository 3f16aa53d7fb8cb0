interface CheckFieldProps {
  readonly text: string;
  readonly checked: boolean;
  readonly class?: string;
  onChange(checked: boolean): void;
}

/** What is on or off, and what is said of it. */
export function CheckField({ text, checked, class: name = 'row', onChange }: CheckFieldProps) {
  return (
    <label class={name}>
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{text}</span>
    </label>
  );
}
