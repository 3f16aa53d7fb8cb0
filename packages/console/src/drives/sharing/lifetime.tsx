import { PageError } from '../../api/errors.js';

const hour = 3600;
/** The longest is 7 days (docs/http.md#create-links). */
const maxSeconds = 7 * 24 * hour;
const lifetimes: readonly (readonly [string, number])[] = [
  ['An hour', hour],
  ['A day', 24 * hour],
  ['7 days', maxSeconds],
];

/** How long a link works: so many seconds, or until a date and time here, as the field of the browser writes it. */
export type Lifetime = { readonly seconds: number } | { readonly until: string };

export const aDay: Lifetime = { seconds: 24 * hour };

interface LifetimeFieldProps {
  readonly value: Lifetime;
  onChange(value: Lifetime): void;
}

/** Asks how long a link is to work: any time that the service allows. */
export function LifetimeField({ value, onChange }: LifetimeFieldProps) {
  return (
    <>
      <label class="field">
        <span>The link works for</span>
        <select
          class="input"
          value={'until' in value ? 'until' : value.seconds}
          onChange={({ currentTarget }) => {
            if (currentTarget.value === 'until') onChange({ until: fieldText(Date.now() + 2 * hour * 1000) });
            else onChange({ seconds: Number(currentTarget.value) });
          }}
        >
          {lifetimes.map(([text, seconds]) => (
            <option key={text} value={seconds}>
              {text}
            </option>
          ))}
          <option value="until">Until a date and time</option>
        </select>
      </label>
      {'until' in value && (
        <label class="field">
          <span>Until, at most 7 days from now</span>
          <input
            class="input"
            type="datetime-local"
            value={value.until}
            min={fieldText(Date.now())}
            max={fieldText(Date.now() + maxSeconds * 1000)}
            onInput={(event) => onChange({ until: event.currentTarget.value })}
          />
        </label>
      )}
    </>
  );
}

/** The seconds from now on. Throws a `PageError` for a time that no link may have. */
export function secondsOf(lifetime: Lifetime, nowMs: number): number {
  if ('seconds' in lifetime) return lifetime.seconds;
  const seconds = Math.floor((new Date(lifetime.until).getTime() - nowMs) / 1000);
  if (Number.isNaN(seconds)) throw new PageError('Choose a date and a time.');
  if (seconds < 1) throw new PageError('This time has passed.');
  if (seconds > maxSeconds) throw new PageError('A link works for at most 7 days.');
  return seconds;
}

/** A moment as the field has it: local, to the minute. */
function fieldText(ms: number): string {
  const date = new Date(ms);
  return new Date(ms - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
