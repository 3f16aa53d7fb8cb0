import { RadioChoice } from '../ui/radio-choice.js';

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

export function BeginningChoice({ value, onChange }: BeginningChoiceProps) {
  return (
    <RadioChoice legend="It sends" name="since" choices={beginnings} value={value} onChange={onChange} />
  );
}
