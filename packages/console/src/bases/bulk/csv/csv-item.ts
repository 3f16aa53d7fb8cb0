import { compact, jsonProblem, writeObject } from '../../../exact/print.js';
import type { Attribute } from '../../../exact/scan.js';
import { guessKind, readText } from '../../edit/text.js';
import type { ColumnType, CsvPlan } from './csv-plan.js';
import { isNeutralised } from './formulas.js';

/** The item of a row as JSON text, or what is wrong with it. */
export type CsvItem =
  | { readonly key: string | undefined; readonly json: string }
  | { readonly errors: readonly string[] };

/** Makes an item of the cells of a row. Empty cells are no attributes. */
export function itemOf(cells: readonly string[], { columns, keyColumn }: CsvPlan): CsvItem {
  const attributes: Attribute[] = [];
  const errors: string[] = [];
  const key = keyColumn === undefined ? undefined : (cells[keyColumn] ?? '');
  if (key === '') errors.push('The key is empty');
  else if (key !== undefined) attributes.push(['key', JSON.stringify(key)]);
  for (const [at, { name, type }] of columns.entries()) {
    const text = cells[at] ?? '';
    if (at === keyColumn || type === 'skip' || text === '') continue;
    const value = valueFor(text, type);
    if ('problem' in value) errors.push(`${name}: ${value.problem}`);
    else attributes.push([name, value.json]);
  }
  const extra = cells.slice(columns.length).filter((text) => text !== '').length;
  if (extra > 0) errors.push(`${cells.length} cells in a table of ${columns.length} columns`);
  return errors.length > 0 ? { errors } : { key, json: writeObject(attributes) };
}

function valueFor(
  text: string,
  type: Exclude<ColumnType, 'skip'>,
): { readonly json: string } | { readonly problem: string } {
  if (type === 'boolean') return readText('boolean', text.toLowerCase());
  if (type === 'number') return readText('number', text);
  if (type === 'guess') return readText(guessKind(text), text);
  if (type === 'string') return { json: JSON.stringify(isNeutralised(text) ? text.slice(1) : text) };
  const problem = jsonProblem(text);
  return problem === undefined ? { json: compact(text) } : { problem };
}
