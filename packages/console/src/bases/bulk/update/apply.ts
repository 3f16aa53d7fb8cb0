import { writeObject } from '../../../exact/print.js';
import { kindOf, readAttributes, readElements } from '../../../exact/scan.js';
import { type Row, readRow } from '../../view/row.js';
import type { Change } from './changes.js';
import { addDecimals } from './decimal.js';

/** An item after changes, or why the service would leave it as it is. */
export type Applied = { readonly row: Row } | { readonly problem: string };

/** A new value as JSON text, undefined to remove it, or the wrong in it. */
type Result = { readonly json: string | undefined } | { readonly problem: string };

/**
 * Does changes to an item as the service does them (docs/http.md#order-of-changes): for an example, and to know what to
 * take back. Everything else stays the text that it was.
 */
export function applyUpdate(row: Row, changes: readonly Change[]): Applied {
  const others = changes.filter(({ operation }) => operation !== 'delete');
  // The indexes of all deletes refer to the list before any of them: the last element goes first.
  const deletes = changes
    .filter(({ operation }) => operation === 'delete')
    .sort((a, b) => b.path.localeCompare(a.path, 'en', { numeric: true }));
  let text = row.text;
  for (const change of [...others, ...deletes]) {
    const result = changeAt(text, change.path.split('.'), change);
    if ('problem' in result) return { problem: `${change.path}: ${result.problem}` };
    text = result.json ?? text;
  }
  return { row: readRow(text) };
}

function changeAt(json: string, path: readonly string[], change: Change): Result {
  const [name = '', ...rest] = path;
  const kind = kindOf(json);
  if (kind === 'object') return changeAttribute(json, name, rest, change);
  if (kind === 'list' && /^(0|[1-9]\d*)$/.test(name)) return changeElement(json, Number(name), rest, change);
  return change.operation === 'delete' ? { json } : { problem: 'it is not in an object' };
}

function changeAttribute(json: string, name: string, rest: readonly string[], change: Change): Result {
  const attributes = new Map(readAttributes(json));
  const result = next(attributes.get(name), name, rest, change);
  if ('problem' in result) return result;
  if (result.json === undefined) attributes.delete(name);
  else attributes.set(name, result.json);
  return { json: writeObject(attributes) };
}

function changeElement(json: string, at: number, rest: readonly string[], change: Change): Result {
  const elements = readElements(json);
  if (at >= elements.length)
    return change.operation === 'delete' ? { json } : { problem: `the list has no element ${at}` };
  const result = next(elements[at], String(at), rest, change);
  if ('problem' in result) return result;
  elements.splice(at, 1, ...(result.json === undefined ? [] : [result.json]));
  return { json: `[${elements.join(',')}]` };
}

function next(before: string | undefined, name: string, rest: readonly string[], change: Change): Result {
  if (rest.length === 0) return operate(before, change);
  if (before !== undefined) return changeAt(before, rest, change);
  return change.operation === 'delete' ? { json: before } : { problem: `${name} does not exist` };
}

function operate(before: string | undefined, { operation, json }: Change): Result {
  switch (operation) {
    case 'set':
      return { json };
    case 'delete':
      return { json: undefined };
    case 'increment':
      if (before !== undefined && kindOf(before) !== 'number')
        return { problem: 'the attribute is not a number' };
      return { json: addDecimals(before ?? '0', json) };
    case 'append':
      if (before !== undefined && kindOf(before) !== 'list')
        return { problem: 'the attribute is not a list' };
      return { json: `[${[...readElements(before ?? '[]'), ...readElements(json)].join(',')}]` };
  }
}
