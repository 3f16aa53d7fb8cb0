import { useEffect, useState } from 'preact/hooks';
import { mayWrite } from '../../api/own-key.js';
import { type Kind, kindOf } from '../../exact/scan.js';
import { IconButton } from '../../ui/button.js';
import { formatTime } from '../../ui/format.js';
import { visible } from '../../ui/visible.js';
import { expiresName } from '../columns.js';
import { KindChoice } from '../edit/kind-choice.js';
import { readText, textOf } from '../edit/text.js';

interface FieldProps {
  readonly name: string;
  /** Undefined if its removal is staged. */
  readonly json: string | undefined;
  readonly isStaged: boolean;
  onSet(json: string | undefined): void;
  onRevert(): void;
}

const maxLines = 8;

/** One attribute: its type, its value, and how it is set back or removed. */
export function Field({ name, json, isStaged, onSet, onRevert }: FieldProps) {
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

  /** Escape takes back what was typed and not taken yet. Only then it closes the panel. */
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || json === undefined || text === textOf(json)) return;
    event.preventDefault();
    setText(textOf(json));
    setProblem(undefined);
  }

  const common = { 'aria-label': name, 'aria-invalid': problem !== undefined, value: text };
  return (
    <div class={isStaged ? 'item-field staged' : 'item-field'}>
      <div class="item-field-head">
        <span class="item-field-name clip" title={name}>
          {visible(name)}
        </span>
        {json !== undefined && !mayWrite.value && <span class="meta">{kind}</span>}
        {json !== undefined && mayWrite.value && (
          <KindChoice kind={kind} onChoose={(next) => stage(next, converted(text, next))} />
        )}
        {isStaged && <IconButton icon="revert" label={`Set ${name} back`} onClick={onRevert} />}
        {json !== undefined && mayWrite.value && (
          <IconButton icon="trash" label={`Remove ${name}`} onClick={() => onSet(undefined)} />
        )}
      </div>
      {json === undefined ? (
        <p class="meta">Removed when you save</p>
      ) : kind === 'boolean' ? (
        <select
          {...common}
          class="input mono"
          onChange={(event) => stage('boolean', event.currentTarget.value)}
        >
          <option value="true">true</option>
          <option value="false">false</option>
        </select>
      ) : (
        <textarea
          {...common}
          class="input mono"
          rows={Math.min(maxLines, Math.max(1, text.split('\n').length, Math.ceil(text.length / 42)))}
          spellcheck={false}
          disabled={kind === 'null'}
          onInput={(event) => setText(event.currentTarget.value)}
          onChange={(event) => stage(kind, event.currentTarget.value)}
          onKeyDown={onKeyDown}
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
