/** An operator as people write and read it. */
export interface Operator {
  /** Its name in a query; empty for equality. */
  readonly name: string;
  /** How it is shown. */
  readonly sign: string;
  /** Other ways to type it. */
  readonly typed: readonly string[];
  readonly help: string;
  /** What it is compared with: `text` is always a string, `none` is nothing. */
  readonly operand: 'value' | 'text' | 'list' | 'range' | 'none';
}

/** The operators of docs/http.md#query-conditions, in the order in which they are offered. */
export const operators: readonly Operator[] = [
  { name: '', sign: '=', typed: ['==', 'is'], help: 'is equal', operand: 'value' },
  { name: 'ne', sign: '≠', typed: ['!=', '<>'], help: 'is not equal', operand: 'value' },
  { name: 'gte', sign: '≥', typed: ['>='], help: 'is greater or equal', operand: 'value' },
  { name: 'lte', sign: '≤', typed: ['<='], help: 'is less or equal', operand: 'value' },
  { name: 'gt', sign: '>', typed: [], help: 'is greater', operand: 'value' },
  { name: 'lt', sign: '<', typed: [], help: 'is less', operand: 'value' },
  { name: 'r', sign: 'from', typed: ['between'], help: 'is in a range: 1..5', operand: 'range' },
  { name: 'icontains', sign: '~', typed: ['like'], help: 'contains, any case', operand: 'text' },
  {
    name: 'contains',
    sign: 'contains',
    typed: ['∋'],
    help: 'contains, exact case; or has the element',
    operand: 'text',
  },
  { name: 'not_contains', sign: 'without', typed: ['∌'], help: 'does not contain it', operand: 'text' },
  { name: 'pfx', sign: 'begins', typed: ['^'], help: 'begins with, exact case', operand: 'text' },
  { name: 'ipfx', sign: 'begins~', typed: [], help: 'begins with, any case', operand: 'text' },
  { name: 'has', sign: 'has', typed: [], help: 'is a list with this element', operand: 'value' },
  { name: 'in', sign: 'in', typed: ['∈'], help: 'is one of: a, b', operand: 'list' },
  { name: 'not_in', sign: 'not-in', typed: ['∉'], help: 'is none of: a, b', operand: 'list' },
  { name: 'exists', sign: 'exists', typed: [], help: 'the attribute is there', operand: 'none' },
];

/** The operator of a query, by its name there. Those that have no entry (`?<`) are shown as they are. */
export function operatorNamed(name: string): Operator | undefined {
  return operators.find((operator) => operator.name === name);
}

/** The operator that a word stands for. */
export function operatorTyped(word: string): Operator | undefined {
  return operators.find(
    ({ sign, typed, name }) => sign === word || typed.includes(word) || `?${name}` === word,
  );
}

const inAnyCase = new Map([
  ['contains', 'icontains'],
  ['pfx', 'ipfx'],
]);

/** The name of the operator that does the same in any case; undefined if there is none, or if it is that already. */
export function anyCaseOf(name: string): string | undefined {
  return inAnyCase.get(name);
}
