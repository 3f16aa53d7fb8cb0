import type { Column } from '../view/columns.js';
import { addCondition, type Groups, searchIn } from './model.js';
import { hasAttribute, textAttributes } from './suggest.js';
import { readTyped, splitJoined, splitTyped } from './typed.js';

/** What a text is typed after. */
export interface TypedAfter {
  readonly groups: Groups;
  readonly columns: readonly Column[];
  /** The next condition begins a group of its own. */
  readonly isOr: boolean;
  /** A condition that would match. */
  readonly example: string | undefined;
}

/** The query with what was typed, the word that joins it with what is typed next, or why it is no condition. */
export type TypedQuery =
  | { readonly groups: Groups }
  | { readonly joint: 'and' | 'or' }
  | { readonly problem: string };

export function typedQuery(typed: string, after: TypedAfter): TypedQuery {
  const { groups, columns, isOr } = after;
  const joint = typed.trim().toLowerCase();
  if ((joint === 'and' || joint === 'or') && groups.length > 0) return { joint };
  const texts = textAttributes(columns);
  if (isPlain(typed, columns) && texts.length > 0) {
    const before = groups.filter((group) => group.length > 0);
    const found = searchIn(isOr || before.length === 0 ? [[]] : before, texts, typed.trim());
    return { groups: isOr ? [...before, ...found] : found };
  }
  let next = groups;
  const parts = splitJoined(typed, (path) => hasAttribute(columns, path));
  for (const [at, { joint: joined, text }] of parts.entries()) {
    const condition = readTyped(text);
    if ('problem' in condition) return { problem: problemOf(text, condition.problem, after) };
    const isNewGroup = joined === 'or' || (at === 0 && isOr);
    next = addCondition(isNewGroup ? [...next, []] : next, condition);
  }
  return { groups: next };
}

/** Whether a text is meant to be searched: it begins with no attribute, and has no operator. */
function isPlain(typed: string, columns: readonly Column[]): boolean {
  const [first, ...others] = splitJoined(typed, (path) => hasAttribute(columns, path));
  const { path, operator } = splitTyped(first?.text ?? '');
  return others.length === 0 && operator === undefined && path !== '' && !hasAttribute(columns, path);
}

/** Why a text is no condition: often it is a word to search for. */
function problemOf(typed: string, wrong: string, { columns, example }: TypedAfter): string {
  const { path, operator } = splitTyped(typed);
  if (operator !== undefined || path === '' || hasAttribute(columns, path)) return wrong;
  const hint = example === undefined ? '' : `, as in ${example}`;
  return `No loaded item has the attribute ${path}. Choose where to search for the text, or type an attribute, an operator and a value${hint}`;
}
