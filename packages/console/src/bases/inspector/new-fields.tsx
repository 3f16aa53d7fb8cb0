import { compact, indent } from '../../exact/print.js';
import { objectProblem } from '../edit/item-draft.js';
import { applyChanges } from '../edit/item-text.js';
import { readRow } from '../view/row.js';
import { Field } from './field.js';
import { Mistaken, NewField } from './fields-tab.js';

interface NewFieldsProps {
  /** The new item as text. */
  readonly text: string;
  onChange(text: string): void;
}

/** The attributes of a new item, each with an editor: another view of its text. */
export function NewFields({ text, onChange }: NewFieldsProps) {
  if (objectProblem(text) !== undefined) return <Mistaken />;
  const row = readRow(compact(text));
  const set = (name: string) => (json: string | undefined) =>
    onChange(indent(applyChanges(row, new Map([[name, json]])).text));
  return (
    <fieldset class="fields" aria-label="Attributes">
      {Array.from(row.attributes, ([name, json]) => (
        <Field key={name} name={name} json={json} onSet={set(name)} />
      ))}
      <NewField taken={(name) => row.attributes.has(name)} onAdd={(name, json) => set(name)(json)} />
    </fieldset>
  );
}
