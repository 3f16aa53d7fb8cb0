import { kindOf } from '../../exact/scan.js';
import { startOfString } from '../../exact/string-start.js';
import type { Rows } from '../listing/rows.js';
import { type Column, expiresName } from '../view/columns.js';
import { operators } from './operators.js';
import { splitLast, splitTyped } from './typed.js';

/** What the query bar offers for a text that is being typed. */
export interface Suggestion {
  readonly text: string;
  readonly help: string;
  /** The text of the bar if it is chosen. */
  readonly next: string;
  /** Whether the condition is whole then. */
  readonly isWhole: boolean;
  /** Whether it searches for the text. */
  readonly isSearch?: boolean;
}

const shown = 8;
/** Characters of the value of an example. */
const maxExample = 24;
/** Rows whose values are offered: enough to know an attribute, and few enough for every key that is typed. */
const maxRows = 5000;

/** Attributes, then operators, then values that the loaded items have. Other words are searched for in texts. */
export function suggest(
  text: string,
  columns: readonly Column[],
  rows: Pick<Rows, 'sample'>,
): readonly Suggestion[] {
  const { before, last } = splitLast(text);
  if (before !== '') {
    const found = suggestOne(last, columns, rows).filter(({ isSearch }) => isSearch !== true);
    if (found.length > 0) return found.map((one) => ({ ...one, next: `${before}${one.next}` }));
  }
  return suggestOne(text, columns, rows);
}

function suggestOne(
  text: string,
  columns: readonly Column[],
  rows: Pick<Rows, 'sample'>,
): readonly Suggestion[] {
  const { path, operator, operand } = splitTyped(text);
  const isKnown = hasAttribute(columns, path);
  const isPathDone = isKnown && /\s$/.test(text);
  if (operator === undefined && operand === undefined && !isPathDone) {
    const found = attributes(path, columns);
    return found.length > 0 || isKnown ? found : searches(text, columns);
  }
  if (operator === undefined)
    return isKnown || operand === '' ? forOperator(path, operand ?? '') : searches(text, columns);
  if (operator.operand === 'none') return [];
  return values(text, path, operand ?? '', rows);
}

function attributes(path: string, columns: readonly Column[]): readonly Suggestion[] {
  return columns
    .filter(({ name }) => name.toLowerCase().startsWith(path.toLowerCase()))
    .slice(0, shown)
    .map(({ name, kind }) => ({ text: name, help: kind, next: `${quoted(name)} `, isWhole: false }));
}

/** Whether a path leads to an attribute that the loaded items have, or into one. */
export function hasAttribute(columns: readonly Column[], path: string): boolean {
  return columns.some(({ name }) => name === path || (name !== '' && path.startsWith(`${name}.`)));
}

/** The attributes that hold texts, as far as a search goes through them. */
export function textAttributes(columns: readonly Column[]): readonly string[] {
  return columns
    .filter(({ name, kind }) => kind === 'string' && name !== 'key')
    .slice(0, shown - 2)
    .map(({ name }) => name);
}

/** The search for a text in all attributes that hold texts, in each attribute that holds texts, and in the beginnings of keys. */
function searches(text: string, columns: readonly Column[]): readonly Suggestion[] {
  const offer = (condition: string, help: string) => ({
    text: condition,
    help,
    next: condition,
    isWhole: true,
    isSearch: true,
  });
  const names = textAttributes(columns);
  const all = { ...offer(`Search all texts for ${text.trim()}`, 'any case'), next: text };
  return [
    ...(names.length === 0 ? [] : [all]),
    ...names.map((name) => offer(`${quoted(name)} ~ ${text.trim()}`, 'contains, any case')),
    offer(`key begins ${text.trim()}`, 'exact case'),
  ];
}

/** A condition that fits the items, as an example of what can be typed. */
export function exampleFor(columns: readonly Column[], rows: Pick<Rows, 'sample'>): string | undefined {
  const [row] = rows.sample(1);
  const usable = columns.filter(
    ({ name }) => name !== 'key' && name !== expiresName && name === quoted(name),
  );
  const column = usable.find(({ kind }) => kind === 'number') ?? usable.find(({ kind }) => kind === 'string');
  const json = row?.attributes.get(column?.name ?? '');
  if (column === undefined || json === undefined || json.length > maxExample) return undefined;
  return column.kind === 'number'
    ? `${column.name} >= ${json}`
    : `${column.name} = ${startOfString(json, maxExample)}`;
}

function forOperator(path: string, typed: string): readonly Suggestion[] {
  return operators
    .filter(({ sign, typed: others }) => [sign, ...others].some((one) => one.startsWith(typed)))
    .filter(({ name }) => path !== 'key' || ['', 'gte', 'lte', 'gt', 'lt', 'r', 'pfx'].includes(name))
    .map(({ sign, help, operand }) => ({
      text: sign,
      help,
      next: `${quoted(path)} ${sign} `,
      isWhole: operand === 'none',
    }));
}

function values(
  text: string,
  path: string,
  operand: string,
  rows: Pick<Rows, 'sample'>,
): readonly Suggestion[] {
  const found = new Set<string>();
  for (const { attributes: all } of rows.sample(maxRows)) {
    const json = all.get(path);
    if (json === undefined || ['list', 'object'].includes(kindOf(json)) || json.length > 60) continue;
    if (json.toLowerCase().replace(/^"/, '').startsWith(operand.toLowerCase().replace(/^"/, '')))
      found.add(json);
    if (found.size === shown) break;
  }
  const start = text.slice(0, text.length - operand.length).trimEnd();
  return [...found].map((json) => ({ text: json, help: '', next: `${start} ${json}`, isWhole: true }));
}

function quoted(name: string): string {
  return /^[^\s=≠≥≤<>!~^∋∌∈∉"]+$/.test(name) ? name : JSON.stringify(name);
}
