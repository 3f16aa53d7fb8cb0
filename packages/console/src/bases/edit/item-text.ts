import { writeObject } from '../../exact/print.js';
import type { Attribute } from '../../exact/scan.js';
import { type Row, readRow } from '../view/row.js';

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
  return readRow(writeObject(attributes));
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
    .map((name): Attribute => {
      const json = row.attributes.get(name);
      return json === undefined ? [`${name}?exists`, 'false'] : [`${name}?in`, `[${json}]`];
    });
  return writeObject(conditions);
}

/**
 * The operations of a transaction that change an item only if what is changed is still as it was. Attributes that no
 * path can address are changed by putting the whole item.
 */
export function changeOperations(row: Row, changes: Changes): string[] {
  if (![...changes.keys()].every(isAddressable))
    return replaceOperations(row, applyChanges(row, changes).text);
  const set = [...changes].flatMap(([name, json]): Attribute[] => (json === undefined ? [] : [[name, json]]));
  const removed = [...changes.keys()].filter((name) => changes.get(name) === undefined);
  const members: readonly Attribute[] = [
    ['key', JSON.stringify(row.key)],
    ['if', conditionFor(row, changes.keys())],
    ...(set.length === 0 ? [] : [['set', writeObject(set)] as const]),
    ...(removed.length === 0 ? [] : [['delete', JSON.stringify(removed)] as const]),
  ];
  return [`{"update":${writeObject(members)}}`];
}

/** The operations that put a whole item in place of one that is still as it was. */
export function replaceOperations(row: Row, text: string): string[] {
  return [checkWhole(row), `{"put":${text}}`];
}

/** The operation of a transaction that changes nothing, and fails unless an item matches a query, given as JSON text. */
export function checkOf(key: string, query: string): string {
  return `{"check":{"key":${JSON.stringify(key)},"if":${query}}}`;
}

/** The same, and fails unless an item is as it was. */
export function checkWhole(row: Row): string {
  return checkOf(row.key, conditionFor(row, row.attributes.keys()));
}
