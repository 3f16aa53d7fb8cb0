import { useEffect, useState } from 'preact/hooks';
import { mayWrite } from '../../api/own-key.js';
import { type Kind, kindOf } from '../../exact/scan.js';
import { Button, IconButton } from '../../ui/button.js';
import { Form } from '../../ui/form.js';
import { formatTime } from '../../ui/format.js';
import { expiresName } from '../columns.js';
import { KindChoice } from '../edit/kind-choice.js';
import type { Staged } from '../edit/staged.js';
import { guessKind, readText, textOf } from '../edit/text.js';
import type { Row } from '../row.js';

interface FieldsTabProps {
  readonly row: Row;
  readonly staged: Staged;
}

/** The attributes of an item, each with an editor. What is changed is staged. */
export function FieldsTab({ row, staged }: FieldsTabProps) {
  const changes = staged.items.value.get(row.key)?.changes ?? new Map<string, string | undefined>();
  const origin = staged.items.value.get(row.key)?.row ?? row;
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
            onSet={(json) => staged.set(origin, name, json)}
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

interface FieldProps {
  readonly name: string;
  /** Undefined if its removal is staged. */
  readonly json: string | undefined;
  readonly isStaged: boolean;
  onSet(json: string | undefined): void;
  onRevert(): void;
}

const maxLines = 8;

function Field({ name, json, isStaged, onSet, onRevert }: FieldProps) {
  const [text, setText] = useState(json === undefined ? '' : textOf(json));
  const [problem, setProblem] = useState<string>();
  const kind: Kind = json === undefined ? 'null' : kindOf(json);

  // The value was changed elsewhere: in a cell, or by a step back.
  useEffect(() => {
    setText(json === undefined ? '' : textOf(json));
    setProblem(undefined);
  }, [json]);

  function stage(nextKind: Kind, nextText: string) {
    if (json !== undefined && nextKind === kind && nextText === textOf(json)) return setProblem(undefined);
    const edited = readText(nextKind, nextText);
    if ('problem' in edited) return setProblem(edited.problem);
    setProblem(undefined);
    onSet(edited.json);
  }

  return (
    <div class={isStaged ? 'item-field staged' : 'item-field'}>
      <div class="item-field-head">
        <span class="item-field-name clip" title={name}>
          {name}
        </span>
        {json !== undefined && (
          <KindChoice kind={kind} onChoose={(next) => stage(next, converted(text, next))} />
        )}
        {isStaged && <IconButton icon="revert" label={`Set ${name} back`} onClick={onRevert} />}
        {json !== undefined && (
          <IconButton icon="trash" label={`Remove ${name}`} onClick={() => onSet(undefined)} />
        )}
      </div>
      {json === undefined ? (
        <p class="meta">Removed when you save</p>
      ) : (
        <textarea
          class="input mono"
          aria-label={name}
          aria-invalid={problem !== undefined}
          rows={Math.min(maxLines, Math.max(1, text.split('\n').length, Math.ceil(text.length / 42)))}
          spellcheck={false}
          disabled={kind === 'null'}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onChange={(event) => stage(kind, event.currentTarget.value)}
        />
      )}
      {name === expiresName && json !== undefined && <p class="meta">{formatTime(Number(json))}</p>}
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

/** A text for another type, where the present one would be wrong. */
function converted(text: string, kind: Kind): string {
  if (!('problem' in readText(kind, text))) return text;
  return { string: text, number: '0', boolean: 'false', null: 'null', list: '[]', object: '{}' }[kind];
}

interface NewFieldProps {
  taken(name: string): boolean;
  onAdd(name: string, json: string): void;
}

function NewField({ taken, onAdd }: NewFieldProps) {
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
  }
  return (
    <Form class="new-field" label="New attribute" onSubmit={add}>
      <input
        class="input mono"
        aria-label="Name of the new attribute"
        placeholder="name"
        autocomplete="off"
        value={name}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <input
        class="input mono"
        aria-label="Value of the new attribute"
        placeholder="value"
        autocomplete="off"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <Button type="submit" icon="plus" disabled={name === '' || problem !== undefined}>
        Add
      </Button>
      {problem !== undefined && <p class="problem">{problem}</p>}
    </Form>
  );
}
