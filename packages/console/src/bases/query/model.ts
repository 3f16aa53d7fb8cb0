import { compact, jsonProblem, writeObject } from '../../exact/print.js';
import { kindOf, readAttributes, readElements } from '../../exact/scan.js';
import { anyCaseOf } from './operators.js';

/** A condition of a query: docs/http.md#query-conditions */
export interface Condition {
  readonly path: string;
  /** The name of the operator; empty for equality. */
  readonly operator: string;
  /** The JSON text of what the attribute is compared with. */
  readonly operand: string;
}

/** Conditions of a group are ANDed, groups are ORed. */
export type Groups = readonly (readonly Condition[])[];

/** The query that every item matches. */
export const everything = '[]';

/** The conditions of a query, given as JSON text; undefined if that is no query. */
export function readQuery(json: string): Groups | undefined {
  if (jsonProblem(json) !== undefined) return undefined;
  const text = json.trim();
  if (kindOf(text) === 'object') return [readGroup(text)];
  if (kindOf(text) !== 'list') return undefined;
  const elements = readElements(text);
  if (elements.some((element) => kindOf(element) !== 'object')) return undefined;
  return elements.map(readGroup);
}

/** A query as JSON text. Groups without a condition are left out: they would match everything. */
export function writeQuery(groups: Groups): string {
  const objects = groups
    .filter((group) => group.length > 0)
    .map((group) => writeObject(group.map((one) => [nameOf(one), one.operand])));
  return `[${objects.join(',')}]`;
}

/** Adds a condition to the last group. One with the same path and operator is replaced: a group can hold only one. */
export function addCondition(groups: Groups, condition: Condition): Groups {
  const last = groups.at(-1) ?? [];
  const others = last.filter(
    ({ path, operator }) => path !== condition.path || operator !== condition.operator,
  );
  return [...groups.slice(0, -1), [...others, condition]];
}

/** The matches that have a text in one of the attributes, in any case. */
export function searchIn(groups: Groups, names: readonly string[], text: string): Groups {
  return groups.flatMap((group) =>
    names.flatMap((path) =>
      addCondition([group], { path, operator: 'icontains', operand: JSON.stringify(text) }),
    ),
  );
}

/** Removes the condition at a place. */
export function removeCondition(groups: Groups, group: number, at: number): Groups {
  return groups.map((conditions, n) => (n === group ? conditions.filter((_, m) => m !== at) : conditions));
}

/** A query whose texts are found in any case; undefined if no condition heeds the case. */
export function inAnyCase(query: string): string | undefined {
  const groups = readQuery(query);
  const isExact = ({ operator, operand, path }: Condition) =>
    path !== 'key' && kindOf(operand) === 'string' && anyCaseOf(operator) !== undefined;
  if (groups?.flat().some(isExact) !== true) return undefined;
  return writeQuery(
    groups.map((group) =>
      group.map((one) => (isExact(one) ? { ...one, operator: anyCaseOf(one.operator) ?? '' } : one)),
    ),
  );
}

function readGroup(object: string): Condition[] {
  return readAttributes(object).map(([name, json]) => {
    const mark = name.lastIndexOf('?');
    return {
      path: mark === -1 ? name : name.slice(0, mark),
      operator: mark === -1 ? '' : name.slice(mark + 1),
      operand: compact(json),
    };
  });
}

function nameOf({ path, operator }: Condition): string {
  return operator === '' ? path : `${path}?${operator}`;
}
