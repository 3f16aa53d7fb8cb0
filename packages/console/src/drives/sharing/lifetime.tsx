import { maxLinkSeconds } from '../../api/own-key.js';
import { PageError } from '../../api/page-error.js';
import { countOf, localText } from '../../ui/format.js';
import { SelectField } from '../../ui/select.js';

const hour = 3600;
const day = 24 * hour;
const usual = [hour, day, 7 * day, 30 * day, 90 * day, 365 * day];

/** How long a link works: for a number of seconds, or until a date and time here, as the field of the browser writes it. */
export type Lifetime = { readonly seconds: number } | { readonly until: string };

/** A day, or all that the service allows if that is less. */
export function firstLifetime(): Lifetime {
  return { seconds: Math.min(day, maxLinkSeconds.peek() ?? day) };
}

interface LifetimeFieldProps {
  readonly value: Lifetime;
  onChange(value: Lifetime): void;
}

/** Asks how long a link is to work: any time that the service allows. */
export function LifetimeField({ value, onChange }: LifetimeFieldProps) {
  const longest = maxLinkSeconds.value;
  return (
    <>
      <SelectField
        label="The link works for"
        value={'until' in value ? 'until' : `${value.seconds}`}
        choices={[
          ...offered(longest).map((seconds) => [`${seconds}`, wordsOf(seconds)] as const),
          ['until', 'Until a date and time'],
        ]}
        onChoose={(chosen) => {
          if (chosen === 'until')
            onChange({ until: fieldText(Date.now() + Math.min(2 * hour, longest ?? day) * 1000) });
          else onChange({ seconds: Number(chosen) });
        }}
      />
      {'until' in value && (
        <label class="field">
          <span>{longest === undefined ? 'Until' : `Until, at most ${spanOf(longest)} from now`}</span>
          <input
            class="input"
            type="datetime-local"
            value={value.until}
            min={fieldText(Date.now())}
            max={longest === undefined ? undefined : fieldText(Date.now() + longest * 1000)}
            onInput={(event) => onChange({ until: event.currentTarget.value })}
          />
        </label>
      )}
    </>
  );
}

/** The seconds from now on. Throws a `PageError` for a time that no link may have, as far as that is known. */
export function secondsOf(lifetime: Lifetime, nowMs: number): number {
  if ('seconds' in lifetime) return lifetime.seconds;
  const seconds = Math.floor((new Date(lifetime.until).getTime() - nowMs) / 1000);
  if (Number.isNaN(seconds)) throw new PageError('Choose a date and a time.');
  if (seconds < 1) throw new PageError('This time has passed.');
  const longest = maxLinkSeconds.peek();
  if (longest !== undefined && seconds > longest)
    throw new PageError(`A link works for at most ${spanOf(longest)}.`);
  return seconds;
}

/** The usual times that are allowed, and the longest that is. Of a service that does not tell it, all up to a week. */
function offered(longest = 7 * day): readonly number[] {
  return [...usual.filter((seconds) => seconds < longest), longest];
}

function wordsOf(seconds: number): string {
  return seconds === hour ? 'An hour' : seconds === day ? 'A day' : spanOf(seconds);
}

/** In the largest unit of which it is a whole number: `90 days`, `36 hours`. */
function spanOf(seconds: number): string {
  if (seconds % day === 0) return countOf(seconds / day, 'day');
  if (seconds % hour === 0) return countOf(seconds / hour, 'hour');
  return seconds % 60 === 0 ? countOf(seconds / 60, 'minute') : countOf(seconds, 'second');
}

/** A moment as the field has it: local, to the minute. */
const fieldText = (ms: number) => localText(ms).slice(0, 16);
