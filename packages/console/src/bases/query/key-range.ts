import { type Groups, readQuery, writeQuery } from './model.js';

// The service reads one range of keys for a query: docs/http.md#conditions-on-key

/** Whether a query restricts the keys already. It can do so only once. */
export function hasKeyCondition(query: string): boolean {
  return (readQuery(query) ?? []).some((group) => group.some(({ path }) => path === 'key'));
}

/** A query for the keys from one on: upwards, or downwards. An empty key, or a query with a condition on keys, changes nothing. */
export function fromKey(query: string, key: string, isDescending: boolean): string {
  if (key === '' || hasKeyCondition(query)) return query;
  return withKeyCondition(query, isDescending ? 'lte' : 'gte', JSON.stringify(key));
}

/** The part of a query between two keys, both included. They must be within the range that the query has already. */
export function betweenKeys(query: string, first: string, last: string): string {
  return withKeyCondition(query, 'r', JSON.stringify([first, last]));
}

/** A query for the keys with a prefix, in place of the condition on keys that it may have. */
export function withPrefix(query: string, prefix: string): string {
  return withKeyCondition(query, 'pfx', JSON.stringify(prefix));
}

function withKeyCondition(query: string, operator: string, operand: string): string {
  const groups: Groups = readQuery(query) ?? [];
  const condition = { path: 'key', operator, operand };
  // An object without a condition matches everything, and so does the whole query.
  const isAll = groups.length === 0 || groups.some((group) => group.length === 0);
  const narrowed = isAll
    ? [[condition]]
    : groups.map((group) => [condition, ...group.filter(({ path }) => path !== 'key')]);
  return writeQuery(narrowed);
}
