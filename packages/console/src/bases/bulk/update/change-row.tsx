import type { Kind } from '../../../exact/scan.js';
import { IconButton } from '../../../ui/button.js';
import { Select } from '../../../ui/select.js';
import { TextInput } from '../../../ui/text-field.js';
import { KindChoice } from '../../edit/kind-choice.js';
import { guessKind, readText } from '../../edit/text.js';
import type { Change } from './changes.js';

/** A change that is being typed. */
export interface TypedChange {
  readonly id: number;
  readonly operation: Change['operation'];
  readonly path: string;
  readonly text: string;
  /** The chosen type of the value; undefined: as the text looks. */
  readonly kind: Kind | undefined;
}

const words: readonly (readonly [Change['operation'], string])[] = [
  ['set', 'Set'],
  ['increment', 'Add to'],
  ['append', 'Append to'],
  ['delete', 'Remove'],
];

/** What a typed change means, or what is wrong with it. */
export function readChange(typed: TypedChange): Change | { readonly problem: string } {
  const { operation, path, text, kind } = typed;
  if (operation === 'delete') return { operation, path, json: '' };
  const wanted = operation === 'increment' ? 'number' : (kind ?? guessKind(text));
  const value = readText(wanted, text);
  if ('problem' in value) return { problem: path === '' ? value.problem : `${path}: ${value.problem}` };
  return { operation, path, json: operation === 'append' ? `[${value.json}]` : value.json };
}

interface ChangeRowProps {
  readonly change: TypedChange;
  /** The names that are offered, as the id of a datalist. */
  readonly names: string;
  readonly isOnly: boolean;
  onChange(change: TypedChange): void;
  onRemove(): void;
}

/** One change of an update by query: what is done, to which attribute, with which value. */
export function ChangeRow({ change, names, isOnly, onChange, onRemove }: ChangeRowProps) {
  const { operation, path, text, kind } = change;
  return (
    <div class="change-row" role="group" aria-label={path === '' ? 'Change' : `Change of ${path}`}>
      <Select
        aria-label="What to do"
        value={operation}
        choices={words}
        onChoose={(chosen) => onChange({ ...change, operation: chosen })}
      />
      <input
        class="input mono"
        aria-label="Attribute"
        placeholder="attribute"
        list={names}
        autocomplete="off"
        spellcheck={false}
        value={path}
        onInput={(event) => onChange({ ...change, path: event.currentTarget.value.trim() })}
      />
      {operation === 'delete' ? (
        <span />
      ) : (
        <span class="change-value">
          <TextInput
            class="input mono"
            aria-label="Value"
            placeholder="value"
            value={text}
            onInput={(typed) => onChange({ ...change, text: typed })}
          />
          {operation !== 'increment' && (
            <KindChoice
              kind={kind ?? guessKind(text)}
              of={path === '' ? 'the value' : path}
              onChoose={(next) => onChange({ ...change, kind: next, text: next === 'null' ? 'null' : text })}
            />
          )}
        </span>
      )}
      {!isOnly && <IconButton icon="x" label="Remove this change" onClick={onRemove} />}
    </div>
  );
}
