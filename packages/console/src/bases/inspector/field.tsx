import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { mayWrite } from '../../api/own-key.js';
import { indent } from '../../exact/print.js';
import { type Kind, kindOf } from '../../exact/scan.js';
import { IconButton } from '../../ui/button.js';
import { formatTime } from '../../ui/format.js';
import { Problem } from '../../ui/problem.js';
import { visibleName } from '../../ui/visible.js';
import { DatePicker } from '../dates/date-picker.js';
import type { DateForm } from '../dates/date-value.js';
import { KindChoice } from '../edit/kind-choice.js';
import { blanks, readText, textOf } from '../edit/text.js';
import { expiresName } from '../view/columns.js';

interface FieldProps {
  readonly name: string;
  /** Undefined if its removal is staged. */
  readonly json: string | undefined;
  readonly isStaged?: boolean;
  /** How the value is a date, where it can be picked. */
  readonly date?: DateForm | undefined;
  /** `isTyping`: more follows, until the field is left. */
  onSet(json: string | undefined, options?: { readonly isTyping: boolean }): void;
  /** Absent where nothing is staged. */
  onRevert?(): void;
}

const maxLines = 12;
/** Characters that fit on a line. */
const maxOnLine = 42;

/** One attribute: its type, its value, and how it is set back or removed. */
export function Field({ name, json, isStaged = false, date, onSet, onRevert }: FieldProps) {
  const { text, problem, kind, field, entered, stage, type, onKeyDown } = useFieldText(json, onSet);
  const shown = visibleName(name);
  const common = { 'aria-label': shown, 'aria-invalid': problem !== undefined, value: text };
  return (
    <div class={isStaged ? 'item-field staged' : 'item-field'}>
      <div class="item-field-head">
        <span class="item-field-name clip" title={name}>
          {shown}
        </span>
        {json !== undefined && !mayWrite.value && <span class="meta">{kind}</span>}
        {json !== undefined && mayWrite.value && (
          <KindChoice kind={kind} of={shown} onChoose={(next) => stage(next, converted(text, next))} />
        )}
        {isStaged && onRevert !== undefined && (
          <IconButton icon="revert" label={`Set ${shown} back`} onClick={onRevert} />
        )}
        {json !== undefined && mayWrite.value && (
          <IconButton icon="trash" label={`Remove ${shown}`} onClick={() => onSet(undefined)} />
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
          ref={field}
          class="input mono"
          rows={Math.min(maxLines, Math.max(1, text.split('\n').length, Math.ceil(text.length / maxOnLine)))}
          dir={kind === 'string' ? 'auto' : undefined}
          spellcheck={false}
          disabled={kind === 'null'}
          onFocus={() => {
            entered.current = json;
          }}
          onInput={(event) => type(event.currentTarget.value)}
          onChange={(event) => stage(kind, event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
      )}
      {date !== undefined && json !== undefined && (
        <DatePicker
          label={`Date of ${shown}`}
          json={json}
          form={date}
          disabled={!mayWrite.value}
          onPick={onSet}
        />
      )}
      {name === expiresName && json !== undefined && <p class="meta">{formatTime(Number(json))}</p>}
      <Problem text={problem} />
    </div>
  );
}

/** What is typed into a field, and what is wrong with it. */
function useFieldText(json: string | undefined, onSet: FieldProps['onSet']) {
  const [text, setText] = useState(json === undefined ? '' : shownText(json));
  const [problem, setProblem] = useState<string>();
  /** The value when the field was entered. */
  const entered = useRef(json);
  const field = useRef<HTMLTextAreaElement>(null);
  /** The value that was staged here last, or came from elsewhere. */
  const known = useRef(json);
  /** While what is typed is not staged: how it is, over the item that was seen when it began. */
  const begun = useRef<FieldProps['onSet']>(undefined);
  const kind: Kind = json === undefined ? 'null' : kindOf(json);

  // The value was changed elsewhere: in a cell, or by a step back. At once: later, it could be older than what is typed.
  useLayoutEffect(() => {
    if (json !== known.current) entered.current = json;
    known.current = json;
    // What is being typed is not lost: if both are changed, the save tells of it.
    if (begun.current !== undefined && field.current === document.activeElement) return;
    begun.current = undefined;
    setText(json === undefined ? '' : shownText(json));
    setProblem(undefined);
  }, [json]);

  function stage(nextKind: Kind, nextText: string) {
    const isSame = json !== undefined && nextKind === kind && nextText === shownText(json);
    const edited = readText(nextKind, nextText);
    if ('problem' in edited && !isSame) return setProblem(edited.problem);
    setProblem(undefined);
    if ('problem' in edited || isSame) begun.current = undefined;
    else give(edited.json);
  }

  /** What is typed is staged at once, so that it can be saved. Lists and objects would be printed anew under the cursor. */
  function type(next: string): void {
    setText(next);
    setProblem(undefined);
    const edited = readText(kind, next);
    if (['list', 'object'].includes(kind) || 'problem' in edited || shownText(edited.json) !== next)
      begun.current ??= onSet;
    else give(edited.json, { isTyping: true });
  }

  function give(next: string, options?: { readonly isTyping: boolean }): void {
    const set = begun.current ?? onSet;
    begun.current = undefined;
    known.current = next;
    set(next, options);
  }

  /** Escape takes back what was typed since the field was entered. Only then it closes the panel. */
  function onKeyDown(event: KeyboardEvent): void {
    const before = entered.current;
    if (event.key !== 'Escape' || before === undefined || text === shownText(before)) return;
    event.preventDefault();
    setText(shownText(before));
    setProblem(undefined);
    begun.current = undefined;
    if (json !== before) give(before, { isTyping: true });
  }

  return { text, problem, kind, field, entered, stage, type, onKeyDown };
}

/** A list or an object is read on several lines, unless it is short. */
function shownText(json: string): string {
  const isNested = ['list', 'object'].includes(kindOf(json));
  return isNested && json.length > maxOnLine ? indent(json) : textOf(json);
}

/** A text for another type, where the present one would be wrong. */
function converted(text: string, kind: Kind): string {
  return 'problem' in readText(kind, text) ? blanks[kind] : text;
}
