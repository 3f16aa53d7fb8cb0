import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Kind, kindOf } from '../../exact/scan.js';
import { DatePicker } from '../dates/date-picker.js';
import { type DateForm, typedDate } from '../dates/date-value.js';
import { KindChoice } from './kind-choice.js';
import { guessKind, readText, textOf } from './text.js';

/** Where editing continues after a value was taken; `all`: it is meant for all cells that are selected. */
export type Then = 'down' | 'right' | 'left' | 'stay' | 'all';

interface CellEditorProps {
  /** What it edits, for screen readers. */
  readonly label: string;
  /** The value, undefined where there is none. */
  readonly json: string | undefined;
  /** The box of the cell in the window. */
  readonly box: DOMRect;
  /** What the user has typed to begin: it replaces the value. */
  readonly typed?: string | undefined;
  /** How the value is a date, where it can be picked. */
  readonly date?: DateForm | undefined;
  onTake(json: string, then: Then): void;
  onCancel(): void;
}

/** Space that the editor leaves to the edge of the window. */
const margin = 8;
const maxWidth = 480;

/** The editor of one value, over its cell. Enter takes the value, Shift+Enter breaks the line, Escape cancels. */
export function CellEditor(props: CellEditorProps) {
  const { label, json, box, typed, date } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  const form = useRef<HTMLDivElement>(null);
  const edited = useEdited(props);
  const { text, kind, written, problem, take } = edited;
  useLastMoment(() => take('stay'));
  useEditorPlace(field, form, { typed, box, shown: [text, problem] });

  function onKeyDown(event: KeyboardEvent): void {
    event.stopPropagation();
    if (event.key === 'Escape') edited.cancel();
    else if (event.key === 'Enter' && !event.shiftKey) take(event.ctrlKey || event.metaKey ? 'all' : 'down');
    else if (event.key === 'Tab' && event.target === field.current) take(event.shiftKey ? 'left' : 'right');
    else return;
    event.preventDefault();
  }

  return (
    <div
      ref={form}
      class="cell-editor"
      role="group"
      aria-label={label}
      style={{ minWidth: `${Math.min(maxWidth, Math.max(240, box.width))}px` }}
      onKeyDown={onKeyDown}
      onFocusOut={(event) => {
        if (!form.current?.contains(event.relatedTarget as Node | null)) take('stay');
      }}
    >
      <textarea
        ref={field}
        class="cell-editor-text"
        aria-label={label}
        aria-invalid={problem !== undefined}
        rows={1}
        dir={kind === 'string' ? 'auto' : undefined}
        spellcheck={false}
        value={text}
        onInput={(event) => edited.type(event.currentTarget.value)}
      />
      {date !== undefined && (
        <DatePicker
          label={`Date of ${label}`}
          json={'json' in written ? written.json : json}
          form={date}
          onPick={edited.pick}
        />
      )}
      <div class="cell-editor-foot">
        <KindChoice kind={kind} of={label} onChoose={edited.choose} />
        <span class={problem === undefined ? 'meta' : 'meta problem'} role="status">
          {problem ?? 'Enter to keep, Esc to cancel'}
        </span>
      </div>
    </div>
  );
}

/** A value while it is edited: its text, the type that it is to have, and what is wrong. */
function useEdited({ json, typed, date, onTake, onCancel }: CellEditorProps) {
  const before = json === undefined ? '' : textOf(json);
  const [text, setText] = useState(typed ?? before);
  const [chosen, setChosen] = useState<Kind | undefined>(json === undefined ? undefined : kindOf(json));
  const [problem, setProblem] = useState<string>();
  const isDone = useRef(false);
  const kind = chosen === undefined || (chosen === 'null' && text !== 'null') ? guessKind(text) : chosen;
  const dated = typedDate(text, date, json);
  const written = dated === undefined ? readText(kind, text) : { json: dated };

  function cancel(): void {
    isDone.current = true;
    onCancel();
  }

  return {
    text,
    kind,
    written,
    problem,
    cancel,
    take(then: Then): void {
      if (isDone.current) return;
      const isSame = json !== undefined && text === before && kind === kindOf(json);
      if (then !== 'all' && (isSame || (json === undefined && text === ''))) cancel();
      else if ('problem' in written) setProblem(written.problem);
      else {
        isDone.current = true;
        onTake(written.json, then);
      }
    },
    type(next: string): void {
      setText(next);
      setProblem(undefined);
    },
    pick(picked: string): void {
      setChosen(kindOf(picked));
      setText(textOf(picked));
      setProblem(undefined);
    },
    choose(next: Kind): void {
      setChosen(next);
      setProblem(undefined);
      if (next === 'null') setText('null');
      if (next === 'boolean' && text !== 'false') setText('true');
    },
  };
}

/** Calls it before the page is left, and before others look whether something is not saved. */
function useLastMoment(take: () => void): void {
  const latest = useRef(take);
  latest.current = take;
  useLayoutEffect(() => {
    const onLeave = () => latest.current();
    addEventListener('beforeunload', onLeave, true);
    return () => removeEventListener('beforeunload', onLeave, true);
  }, []);
}

interface EditorPlace {
  readonly typed: string | undefined;
  readonly box: DOMRect;
  /** What its size depends on. */
  readonly shown: readonly unknown[];
}

/** Gives the field the focus, and places the editor over its cell: it grows with its text, and stays in the window. */
function useEditorPlace(
  field: RefObject<HTMLTextAreaElement | null>,
  form: RefObject<HTMLElement | null>,
  { typed, box, shown }: EditorPlace,
): void {
  useLayoutEffect(() => {
    field.current?.focus();
    if (typed === undefined) field.current?.select();
    else field.current?.setSelectionRange(typed.length, typed.length);
  }, []);
  useLayoutEffect(() => {
    const [area, element] = [field.current, form.current];
    if (area === null || element === null) return;
    area.style.height = 'auto';
    area.style.height = `${Math.min(area.scrollHeight, 240)}px`;
    const { height, width } = element.getBoundingClientRect();
    element.style.top = `${Math.max(margin, Math.min(box.top, innerHeight - height - margin))}px`;
    element.style.left = `${Math.max(margin, Math.min(box.left, innerWidth - width - margin))}px`;
  }, [box, ...shown]);
}
