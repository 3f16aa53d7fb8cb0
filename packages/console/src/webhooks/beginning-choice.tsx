/** Where a webhook begins: with what changes from now on, or with everything that is there. */
export type Beginning = 'now' | '0';

const beginnings: readonly (readonly [Beginning, string])[] = [
  ['now', 'What changes from now on'],
  ['0', 'Everything that is there, then what changes'],
];

interface BeginningChoiceProps {
  readonly value: Beginning;
  onChange(value: Beginning): void;
}

export function BeginningChoice({ value: chosen, onChange }: BeginningChoiceProps) {
  return (
    <fieldset class="choices">
      <legend>It sends</legend>
      {beginnings.map(([value, text]) => (
        <label key={value} class="choice">
          <input type="radio" name="since" checked={chosen === value} onChange={() => onChange(value)} />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}
