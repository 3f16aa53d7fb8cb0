import { useEffect, useRef, useState } from 'preact/hooks';
import { setParameters, stepTo } from '../../router.js';
import { useShortcuts } from '../../ui/shortcuts.js';
import type { BaseView } from '../base-view.js';
import { everything, type Groups, removeCondition, writeQuery } from './model.js';
import { exampleFor, suggest } from './suggest.js';
import { writeTyped } from './typed.js';
import { typedQuery } from './typed-query.js';

/** The field in which the next condition of a query is typed. `groups`: the query; undefined if it cannot be read as one. */
export function useTyping(view: BaseView, groups: Groups | undefined) {
  const { search } = view;
  const columns = view.columns.known;
  const rows = view.listing.rows.value;
  const { text, problem, setProblem, chosen, setChosen, isOpen, setOpen, change } = useText();
  /** The next condition begins a group of its own. */
  const [isOr, setOr] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const suggestions = isOpen ? suggest(text, columns, rows) : [];
  const example = exampleFor(columns, rows);
  const focus = () => field.current?.focus();
  useShortcuts({ '/': focus });

  const apply = (next: Groups) => {
    stepTo({ query: parameterOf(next) });
    // The button that was used may be gone: what is typed next must not become shortcuts.
    focus();
  };

  useEffect(() => {
    if (search.value === undefined) return;
    change(search.value);
    focus();
    search.value = undefined;
  }, [search.value]);

  function commit(typed: string) {
    if (typed.trim() === '') return;
    const read = typedQuery(typed, { groups: groups ?? [], columns, isOr, example });
    if ('problem' in read) return setProblem(read.problem);
    if ('groups' in read) apply(read.groups);
    setOr('joint' in read && read.joint === 'or');
    change('');
    setOpen('joint' in read);
  }

  function choose(at: number): void {
    const suggestion = suggestions[at];
    if (suggestion === undefined) return;
    if (suggestion.isWhole) commit(suggestion.next);
    else change(suggestion.next);
    focus();
  }

  /** Turns a pill back into text, to change it. */
  function reopen(group: number, at: number): void {
    const condition = groups?.[group]?.[at];
    if (groups === undefined || condition === undefined) return;
    // No step: it comes back with what is made of it.
    setParameters({ query: parameterOf(removeCondition(groups, group, at)) });
    change(writeTyped(condition));
    setOpen(false);
    focus();
  }

  function onKeyDown(event: KeyboardEvent): void {
    const last = (groups?.length ?? 0) - 1;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      setOpen(true);
      setChosen(nextChosen(chosen, event.key === 'ArrowDown' ? 1 : -1, suggestions.length));
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

  return {
    field,
    text,
    problem,
    suggestions,
    chosen,
    isOr,
    example,
    change,
    setOpen,
    apply,
    choose,
    reopen,
    onKeyDown,
  };
}

/** What is typed, what is wrong with it, and which suggestion for it is chosen. */
function useText() {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const [chosen, setChosen] = useState(-1);
  const [isOpen, setOpen] = useState(false);
  function change(next: string) {
    setText(next);
    setProblem(undefined);
    setChosen(-1);
    setOpen(true);
  }
  return { text, problem, setProblem, chosen, setChosen, isOpen, setOpen, change };
}

function parameterOf(groups: Groups): string {
  const json = writeQuery(groups);
  return json === everything ? '' : json;
}

/** The suggestion after the chosen one or before it, round and round; -1: none. */
function nextChosen(chosen: number, step: 1 | -1, count: number): number {
  if (count === 0) return chosen;
  return (chosen + step + count + (chosen === -1 && step === -1 ? 1 : 0)) % count;
}
