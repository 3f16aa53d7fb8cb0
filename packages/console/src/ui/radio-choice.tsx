interface RadioChoiceProps<T extends string> {
  readonly legend: string;
  /** The name of the group in its form. */
  readonly name: string;
  /** Each value with what is said of it. */
  readonly choices: readonly (readonly [T, string])[];
  readonly value: T;
  onChange(value: T): void;
}

/** One of a few values. */
export function RadioChoice<T extends string>(props: RadioChoiceProps<T>) {
  const { legend, name, choices, value: chosen, onChange } = props;
  return (
    <fieldset class="choices">
      <legend>{legend}</legend>
      {choices.map(([value, text]) => (
        <label key={value} class="choice">
          <input type="radio" name={name} checked={chosen === value} onChange={() => onChange(value)} />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}
