import { readQuery, writeQuery } from './model.js';

/** The part of a query whose items have an attribute, or lack it; undefined if the query itself rules that out. */
export function withExistence(query: string, path: string, exists: boolean): string | undefined {
  const condition = { path, operator: 'exists', operand: String(exists) };
  const groups = readQuery(query) ?? [];
  const narrowed = (groups.length === 0 ? [[]] : groups).flatMap((group) => {
    const own = group.find((one) => one.path === path && one.operator === 'exists');
    if (own === undefined) return [[...group, condition]];
    return own.operand === condition.operand ? [group] : [];
  });
  return narrowed.length === 0 ? undefined : writeQuery(narrowed);
}
