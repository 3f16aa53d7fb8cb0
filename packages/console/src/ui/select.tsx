import { useId } from 'preact/hooks';

interface SelectProps<T extends string> {
  /** Each value with what is said of it. */
  readonly choices: readonly (readonly [T, string])[];
  readonly value: T;
  readonly id?: string;
  readonly class?: string;
  readonly 'aria-label'?: string;
  readonly disabled?: boolean;
  onChoose(value: T): void;
}

/** One of some values, in a list that opens. */
export function Select<T extends string>({ choices, value: chosen, onChoose, ...rest }: SelectProps<T>) {
  return (
    <select
      class="input"
      {...rest}
      value={chosen}
      onChange={(event) => {
        const found = choices.find(([value]) => value === event.currentTarget.value);
        if (found !== undefined) onChoose(found[0]);
      }}
    >
      {choices.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}

type SelectFieldProps<T extends string> = SelectProps<T> & { readonly label: string };

/** The same with its label above it. */
export function SelectField<T extends string>({ label, ...rest }: SelectFieldProps<T>) {
  const id = useId();
  return (
    <label class="field" for={id}>
      <span>{label}</span>
      <Select {...rest} id={id} />
    </label>
  );
}
