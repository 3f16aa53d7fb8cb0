import type { Row } from '../view/row.js';
import { readRow } from '../view/row.js';

/** Changes of an item by the names of attributes; undefined removes one. */
export type Changes = ReadonlyMap<string, string | undefined>;

/**
 * The item after changes, as the service makes it: a changed attribute keeps its place, a new one is added at the end
 * (docs/http.md#order-of-changes). Everything else stays the text that it was.
 */
export function applyChanges(row: Row, changes: Changes): Row {
  const attributes = new Map(row.attributes);
  for (const [name, json] of changes) {
    if (json === undefined) attributes.delete(name);
    else attributes.set(name, json);
  }
  const members = Array.from(attributes, ([name, json]) => `${JSON.stringify(name)}:${json}`);
  return readRow(`{${members.join(',')}}`);
}

/** Whether a path can address an attribute of this name (docs/http.md#attribute-paths). */
function isAddressable(name: string): boolean {
  return name !== '' && !name.includes('.');
}

/** The limit of conditions in a transaction, with room for other operations (docs/http.md#transactions). */
const maxConditions = 500;

/**
 * The query that only the item as it was matches, as JSON text. `?in` compares each value exactly, `null` too; what no
 * path can address is not compared.
 */
export function conditionFor(row: Row, names: Iterable<string>): string {
  const conditions = Array.from(names)
    .filter((name) => name !== 'key' && isAddressable(name))
    .slice(0, maxConditions)
    .map((name) => {
      const json = row.attributes.get(name);
      return json === undefined
        ? `${JSON.stringify(`${name}?exists`)}:false`
        : `${JSON.stringify(`${name}?in`)}:[${json}]`;
    });
  return `{${conditions.join(',')}}`;
}

/**
 * The operations of a transaction that change an item only if what is changed is still as it was. Attributes that no
 * path can address are changed by putting the whole item.
 */
export function changeOperations(row: Row, changes: Changes): string[] {
  const key = JSON.stringify(row.key);
  if (![...changes.keys()].every(isAddressable))
    return replaceOperations(row, applyChanges(row, changes).text);
  const set = Array.from(changes).filter(([, json]) => json !== undefined);
  const removed = Array.from(changes).filter(([, json]) => json === undefined);
  const members = [
    `"key":${key}`,
    `"if":${conditionFor(row, changes.keys())}`,
    ...(set.length === 0
      ? []
      : [`"set":{${set.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`]),
    ...(removed.length === 0 ? [] : [`"delete":${JSON.stringify(removed.map(([name]) => name))}`]),
  ];
  return [`{"update":{${members.join(',')}}}`];
}

/** The operations that put a whole item in place of one that is still as it was. */
export function replaceOperations(row: Row, text: string): string[] {
  const condition = conditionFor(row, row.attributes.keys());
  return [`{"check":{"key":${JSON.stringify(row.key)},"if":${condition}}}`, `{"put":${text}}`];
}
