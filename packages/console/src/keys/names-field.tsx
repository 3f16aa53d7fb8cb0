import { useId } from 'preact/hooks';
import { TextInput } from '../ui/text-field.js';
import { visible } from '../ui/visible.js';
import { splitNames } from './scope-text.js';

interface NamesFieldProps {
  readonly label: string;
  /** Names with commas between them. */
  readonly value: string;
  /** The names that there are, to choose from. */
  readonly known: readonly string[];
  onInput(value: string): void;
}

/** Names that are offered. */
const maxOffered = 12;

/** Bases or drives, typed or chosen. Without one, all are meant. */
export function NamesField({ label, value, known, onInput }: NamesFieldProps) {
  const id = useId();
  const chosen = splitNames(value);
  const offered = known.filter((name) => !chosen.includes(name) && !name.includes(',')).slice(0, maxOffered);
  return (
    <div class="field">
      <span>
        <label for={id}>{label}</label>
      </span>
      <TextInput id={id} value={value} placeholder="All; or names with commas" onInput={onInput} />
      {offered.length > 0 && (
        <div class="row wraps name-choices">
          {offered.map((name) => (
            <button
              key={name}
              type="button"
              class="name-choice clip"
              aria-label={`Add ${name}`}
              onClick={() => onInput([...chosen, name].join(', '))}
            >
              {visible(name)}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
