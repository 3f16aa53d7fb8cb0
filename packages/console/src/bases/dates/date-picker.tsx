import { type DateForm, fieldText, readDateText, readMoment, writeMoment } from './date-value.js';

interface DatePickerProps {
  /** What it picks, for screen readers. */
  readonly label: string;
  /** The value; undefined or of another form where there is no date yet. */
  readonly json: string | undefined;
  readonly form: DateForm;
  readonly disabled?: boolean;
  onPick(json: string): void;
}

/** The field of the browser for a date and time at the clocks of this place; for a day alone where the value is one. */
export function DatePicker({ label, json, form, disabled = false, onPick }: DatePickerProps) {
  const moment = readMoment(json, form);
  return (
    <input
      class="input date-picker"
      type={moment?.isDay === true ? 'date' : 'datetime-local'}
      step={moment?.isDay === true ? undefined : 1}
      aria-label={label}
      disabled={disabled}
      value={moment === undefined ? '' : fieldText(moment)}
      onInput={(event) => {
        const picked = readDateText(event.currentTarget.value);
        if (picked !== undefined) onPick(writeMoment(picked, form, json));
      }}
    />
  );
}
