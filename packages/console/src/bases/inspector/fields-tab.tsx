import { useRef, useState } from 'preact/hooks';
import { mayWrite } from '../../api/own-key.js';
import { Button } from '../../ui/button.js';
import { Form } from '../../ui/form.js';
import { TextInput } from '../../ui/text-field.js';
import type { DateForm } from '../dates/date-value.js';
import { draftProblem } from '../edit/item-draft.js';
import type { Staged } from '../edit/staged.js';
import { guessKind, readText } from '../edit/text.js';
import type { Row } from '../view/row.js';
import { Field } from './field.js';

interface FieldsTabProps {
  readonly row: Row;
  readonly staged: Staged;
  /** The attributes whose values are dates. */
  readonly dates: ReadonlyMap<string, DateForm>;
}

/** The attributes of an item, each with an editor. What is changed is staged. */
export function FieldsTab({ row, staged, dates }: FieldsTabProps) {
  const item = staged.items.value.get(row.key);
  const { row: origin, changes } = item ?? { row, changes: new Map<string, string | undefined>() };
  if (draftProblem(row.key, item) !== undefined) return <Mistaken />;
  const added = [...changes.keys()].filter((name) => !row.attributes.has(name));
  return (
    <fieldset class="fields" disabled={!mayWrite.value} aria-label="Attributes">
      {[...row.attributes.keys(), ...added]
        .filter((name) => name !== 'key')
        .map((name) => (
          <Field
            key={name}
            name={name}
            json={changes.has(name) ? changes.get(name) : row.attributes.get(name)}
            isStaged={changes.has(name)}
            date={dates.get(name)}
            onSet={(json, options) => staged.set(origin, name, json, options)}
            onRevert={() => staged.set(origin, name, origin.attributes.get(name))}
          />
        ))}
      {mayWrite.value && (
        <NewField
          taken={(name) => name === 'key' || row.attributes.has(name) || changes.has(name)}
          onAdd={(name, json) => staged.set(origin, name, json)}
        />
      )}
    </fieldset>
  );
}

/** In place of the fields of JSON that has a mistake. */
export function Mistaken() {
  return <p class="problem new-fields-problem">The JSON has a mistake. Correct it there first.</p>;
}

interface NewFieldProps {
  /** Whether the item has the attribute already. */
  taken(name: string): boolean;
  onAdd(name: string, json: string): void;
}

/** A form that adds an attribute. */
export function NewField({ taken, onAdd }: NewFieldProps) {
  const nameField = useRef<HTMLInputElement>(null);
  const [name, setName] = useState('');
  const [text, setText] = useState('');
  const problem = taken(name) ? 'The item has this attribute already' : undefined;
  function add(): void {
    if (name === '' || problem !== undefined) return;
    const edited = readText(guessKind(text), text);
    if ('problem' in edited) return;
    onAdd(name, edited.json);
    setName('');
    setText('');
    // Its button has no more to do: the next attribute may follow.
    nameField.current?.focus();
  }
  return (
    <Form class="new-field" label="New attribute" onSubmit={add}>
      <TextInput
        ref={nameField}
        class="input mono"
        aria-label="Name of the new attribute"
        placeholder="name"
        value={name}
        onInput={setName}
      />
      <TextInput
        class="input mono"
        aria-label="Value of the new attribute"
        placeholder="value"
        value={text}
        onInput={setText}
      />
      <Button text="Add" type="submit" icon="plus" disabled={name === '' || problem !== undefined} />
      {problem !== undefined && <p class="problem">{problem}</p>}
    </Form>
  );
}
