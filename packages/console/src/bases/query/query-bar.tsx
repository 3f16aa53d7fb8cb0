import type { Signal } from '@preact/signals';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { route, setParameters, stepTo } from '../../router.js';
import { IconButton } from '../../ui/button.js';
import { Icon } from '../../ui/icon.js';
import { useShortcuts } from '../../ui/shortcuts.js';
import { visible } from '../../ui/visible.js';
import type { Rows } from '../listing/rows.js';
import type { Column } from '../view/columns.js';
import { mismatchOf } from './mismatch.js';
import {
  addCondition,
  type Condition,
  everything,
  type Groups,
  readQuery,
  removeCondition,
  searchIn,
  writeQuery,
} from './model.js';
import { operatorNamed } from './operators.js';
import { exampleFor, hasAttribute, suggest, textAttributes } from './suggest.js';
import { readTyped, splitJoined, splitTyped, writeTyped } from './typed.js';

interface QueryBarProps {
  readonly columns: readonly Column[];
  readonly rows: Rows;
  /** A text that another part of the screen wants to be searched. */
  readonly search: Signal<string | undefined>;
  onCode(): void;
}

/** The query as pills, and a field to type the next condition. `/` leads to it. */
export function QueryBar({ columns, rows, search, onCode }: QueryBarProps) {
  const { query = everything, from = '' } = route.value.parameters;
  const groups = readQuery(query);
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const [chosen, setChosen] = useState(-1);
  const [isOpen, setOpen] = useState(false);
  /** The next condition begins a group of its own. */
  const [isOr, setOr] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  const suggestions = isOpen ? suggest(text, columns, rows) : [];
  useShortcuts({ '/': () => field.current?.focus() });

  const isKnown = (path: string) => hasAttribute(columns, path);
  const example = exampleFor(columns, rows);
  const mismatch = groups
    ?.flat()
    .map((condition) => mismatchOf(condition, columns))
    .find(Boolean);

  /** Why a text is no condition: often it is a word to search for. */
  function problemOf(typed: string, wrong: string): string {
    const { path, operator } = splitTyped(typed);
    if (operator !== undefined || path === '' || isKnown(path)) return wrong;
    const hint = example === undefined ? '' : `, as in ${example}`;
    return `No loaded item has the attribute ${path}. Choose where to search for the text, or type an attribute, an operator and a value${hint}`;
  }

  /** Whether a text is meant to be searched: it begins with no attribute, and has no operator. */
  function isPlain(typed: string): boolean {
    const [part, ...others] = splitJoined(typed, isKnown);
    const { path, operator } = splitTyped(part?.text ?? '');
    return others.length === 0 && operator === undefined && path !== '' && !isKnown(path);
  }

  const apply = (next: Groups) => {
    const json = writeQuery(next);
    stepTo({ query: json === everything ? '' : json });
    // The button that was used may be gone: what is typed next must not become shortcuts.
    field.current?.focus();
  };

  function change(next: string) {
    setText(next);
    setProblem(undefined);
    setChosen(-1);
    setOpen(true);
  }

  useEffect(() => {
    if (search.value === undefined) return;
    change(search.value);
    field.current?.focus();
    search.value = undefined;
  }, [search.value]);

  function commit(typed: string) {
    if (typed.trim() === '') return;
    const word = typed.trim().toLowerCase();
    if (['and', 'or'].includes(word) && (groups ?? []).length > 0) {
      setOr(word === 'or');
      return change('');
    }
    let next = groups ?? [];
    const texts = textAttributes(columns);
    if (isPlain(typed) && texts.length > 0) {
      const before = next.filter((group) => group.length > 0);
      const found = searchIn(isOr || before.length === 0 ? [[]] : before, texts, typed.trim());
      apply(isOr ? [...before, ...found] : found);
      setOr(false);
      change('');
      return setOpen(false);
    }
    for (const [at, { joint, text: part }] of splitJoined(typed, isKnown).entries()) {
      const condition = readTyped(part);
      if ('problem' in condition) return setProblem(problemOf(part, condition.problem));
      const isNewGroup = joint === 'or' || (at === 0 && isOr);
      next = addCondition(isNewGroup ? [...next, []] : next, condition);
    }
    apply(next);
    setOr(false);
    change('');
    setOpen(false);
  }

  function choose(at: number): void {
    const suggestion = suggestions[at];
    if (suggestion === undefined) return;
    if (suggestion.isWhole) commit(suggestion.next);
    else change(suggestion.next);
    field.current?.focus();
  }

  /** Turns a pill back into text, to change it. */
  function reopen(group: number, at: number): void {
    const condition = groups?.[group]?.[at];
    if (groups === undefined || condition === undefined) return;
    // No step: it comes back with what is made of it.
    const others = writeQuery(removeCondition(groups, group, at));
    setParameters({ query: others === everything ? '' : others });
    change(writeTyped(condition));
    setOpen(false);
    field.current?.focus();
  }

  function onKeyDown(event: KeyboardEvent): void {
    const last = (groups?.length ?? 0) - 1;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (!isOpen) setOpen(true);
      const count = suggestions.length;
      const step = event.key === 'ArrowDown' ? 1 : -1;
      if (count > 0) setChosen((chosen + step + count + (chosen === -1 && step === -1 ? 1 : 0)) % count);
    } else if (event.key === 'Tab' && isOpen && suggestions.length > 0 && text !== '')
      choose(Math.max(0, chosen));
    else if (event.key === 'Enter') chosen >= 0 ? choose(chosen) : commit(text);
    else if (event.key === 'Escape' && (isOpen || text !== '')) isOpen ? setOpen(false) : change('');
    else if (event.key === 'Backspace' && text === '' && last >= 0) {
      if (isOr) setOr(false);
      else reopen(last, (groups?.[last]?.length ?? 0) - 1);
    } else return;
    event.preventDefault();
  }

  return (
    <div class="query" role="search" aria-label="Query">
      <div class="query-bar">
        <Icon name="filter" />
        {from !== '' && (
          <span class="pill">
            <span class="pill-text">
              <span class="pill-sign">from</span> {visible(from)}
            </span>
            <button
              type="button"
              class="pill-remove"
              aria-label="Show from the first key"
              onClick={() => {
                stepTo({ from: '' });
                field.current?.focus();
              }}
            >
              <Icon name="x" size={14} />
            </button>
          </span>
        )}
        {groups === undefined && (
          <span class="pill">
            <span class="pill-text">JSON that is no query</span>
          </span>
        )}
        {groups?.map((conditions, group) =>
          conditions.map((condition, at) => (
            <Pill
              key={`${group}-${condition.path}?${condition.operator}`}
              condition={condition}
              joint={at > 0 ? 'and' : group > 0 ? 'or' : undefined}
              onEdit={() => reopen(group, at)}
              onRemove={() => apply(removeCondition(groups, group, at))}
            />
          )),
        )}
        {isOr && <span class="joint">or</span>}
        <input
          ref={field}
          class="query-field"
          role="combobox"
          aria-label="Add a condition"
          aria-expanded={suggestions.length > 0}
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={chosen >= 0 ? `${id}-${chosen}` : undefined}
          aria-invalid={problem !== undefined}
          autocomplete="off"
          spellcheck={false}
          placeholder={
            query === everything ? (example === undefined ? 'Filter' : `Filter: ${example}`) : 'and …, or …'
          }
          value={text}
          onInput={(event) => change(event.currentTarget.value)}
          onFocus={() => setOpen(true)}
          onBlur={() => setOpen(false)}
          onKeyDown={onKeyDown}
        />
        {query !== everything && (
          <IconButton icon="x" label="Remove all conditions" onClick={() => apply([])} />
        )}
        <button
          type="button"
          class="button quiet code-button"
          title="The query as JSON and code"
          onClick={onCode}
        >
          <span aria-hidden="true">{'{ }'}</span>
          <span class="hidden-label">The query as JSON and code</span>
        </button>
      </div>
      <div
        id={id}
        role="listbox"
        aria-label="Suggestions"
        class="suggestions"
        hidden={suggestions.length === 0}
      >
        {suggestions.map((suggestion, at) => (
          <div
            key={suggestion.text}
            id={`${id}-${at}`}
            role="option"
            aria-selected={at === chosen}
            class="option"
            onMouseDown={(event) => {
              // The field keeps the focus.
              event.preventDefault();
              choose(at);
            }}
          >
            <span class="mono clip">{suggestion.text}</span>
            <span class="meta push">{suggestion.help}</span>
          </div>
        ))}
      </div>
      {problem !== undefined && (
        <p class="problem query-problem" role="alert">
          {problem}
        </p>
      )}
      {problem === undefined && mismatch !== undefined && (
        <p class="hint query-problem" role="status">
          {mismatch}
        </p>
      )}
    </div>
  );
}

interface PillProps {
  readonly condition: Condition;
  readonly joint: 'and' | 'or' | undefined;
  onEdit(): void;
  onRemove(): void;
}

function Pill({ condition, joint, onEdit, onRemove }: PillProps) {
  const { path, operator, operand } = condition;
  const text = writeTyped(condition);
  return (
    <>
      {joint === 'or' && <span class="joint">or</span>}
      <span class="pill">
        <button type="button" class="pill-text" title={`Edit: ${text}`} onClick={onEdit}>
          {path} <span class="pill-sign">{operatorNamed(operator)?.sign ?? `?${operator}`}</span>
          {operator === 'exists' && operand === 'true' ? '' : ` ${operand}`}
        </button>
        <button type="button" class="pill-remove" aria-label={`Remove ${text}`} onClick={onRemove}>
          <Icon name="x" size={14} />
        </button>
      </span>
    </>
  );
}
