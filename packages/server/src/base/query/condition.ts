import { JsonNumber, type JsonValue } from '../../json/value.js';
import { badQuery } from '../../request-error.js';
import { parseAttributePath } from '../attribute-path.js';

export type Operator =
  | 'equal'
  | 'ne'
  | 'lt'
  | 'gt'
  | 'lte'
  | 'gte'
  | 'pfx'
  | 'r'
  | 'contains'
  | 'not_contains';

/** `path?operator` and an operand of a type that the operator takes. */
export interface Condition {
  /** As the query wrote it, for messages. */
  readonly text: string;
  readonly segments: readonly string[];
  readonly operator: Operator;
  readonly operand: JsonValue;
}

const operators: ReadonlyMap<string, Operator> = new Map([
  ['ne', 'ne'],
  ['!=', 'ne'],
  ['lt', 'lt'],
  ['<', 'lt'],
  ['gt', 'gt'],
  ['>', 'gt'],
  ['lte', 'lte'],
  ['<=', 'lte'],
  ['gte', 'gte'],
  ['>=', 'gte'],
  ['pfx', 'pfx'],
  ['r', 'r'],
  ['contains', 'contains'],
  ['not_contains', 'not_contains'],
  ['!contains', 'not_contains'],
]);

/** One member of a query object. Throws the 400 of a bad query: unknown or empty operator, wrong operand, empty path. */
export function readCondition(text: string, operand: JsonValue): Condition {
  const at = text.lastIndexOf('?');
  const path = at === -1 ? text : text.slice(0, at);
  const operator = at === -1 ? 'equal' : operators.get(text.slice(at + 1));
  if (operator === undefined) {
    const name = text.slice(at + 1);
    throw badQuery(name === '' ? `${text}: the operator is empty` : `${text}: there is no operator ${name}`);
  }
  const segments = parseAttributePath(path);
  if (segments === undefined)
    throw badQuery(`${JSON.stringify(text)}: the attribute path is empty or has an empty segment`);
  const rule = operandRule(operator, operand);
  if (rule !== undefined) throw badQuery(`${text}: ${rule}`);
  return { text, segments, operator, operand };
}

function operandRule(operator: Operator, operand: JsonValue): string | undefined {
  switch (operator) {
    case 'equal':
    case 'ne':
      return undefined;
    case 'pfx':
    case 'contains':
    case 'not_contains':
      return typeof operand === 'string' ? undefined : 'the operand must be a string';
    case 'r':
      return isRange(operand) ? undefined : 'the operand must be a list of two numbers or of two strings';
    default:
      return isOrdered(operand) ? undefined : 'the operand must be a number or a string';
  }
}

function isRange(operand: JsonValue): boolean {
  if (!Array.isArray(operand) || operand.length !== 2) return false;
  const [from, to] = operand;
  return (
    (typeof from === 'string' && typeof to === 'string') ||
    (from instanceof JsonNumber && to instanceof JsonNumber)
  );
}

function isOrdered(operand: JsonValue): boolean {
  return typeof operand === 'string' || operand instanceof JsonNumber;
}
