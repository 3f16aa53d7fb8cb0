import { readText } from '../../edit/text.js';
import type { CsvForm, CsvSample } from './csv-reader.js';

/** What the texts of a column become. `guess`: each what it looks like; `skip`: nothing. */
export type ColumnType = 'string' | 'number' | 'boolean' | 'json' | 'guess' | 'skip';

export interface PlannedColumn {
  /** The attribute that it becomes. */
  readonly name: string;
  readonly type: ColumnType;
}

/** What becomes of a table. */
export interface CsvPlan {
  readonly form: CsvForm;
  /** Whether the first row has the names of the columns. */
  readonly hasHeader: boolean;
  readonly columns: readonly PlannedColumn[];
  /** The column that has the keys; undefined: the service makes them. */
  readonly keyColumn: number | undefined;
}

const keyNames = ['key', '_key', 'id', '_id', 'uuid'];

/** What a table seems to be meant as. */
export function planFor(sample: CsvSample, hasHeader = seemsToHaveHeader(sample)): CsvPlan {
  const width = Math.max(0, ...sample.rows.slice(0, hasHeader ? 1 : undefined).map(({ length }) => length));
  const rows = hasHeader ? sample.rows.slice(1) : sample.rows;
  const names = hasHeader ? (sample.rows[0] ?? []) : [];
  const columns = Array.from({ length: width }, (_, at) => ({
    name: names[at]?.trim() || `column ${at + 1}`,
    type: typeOf(rows.map((row) => row[at] ?? '')),
  }));
  const { delimiter, newline, encoding } = sample;
  const form = { delimiter, newline, encoding };
  return { form, hasHeader, columns: withOwnNames(columns), keyColumn: keyColumnOf(columns, rows) };
}

/**
 * Whether the first row looks like names: they are mostly not numbers, not empty, and all different, unless one is that of
 * keys. A table without items has only them.
 */
function seemsToHaveHeader({ rows: [first = [], ...others] }: CsvSample): boolean {
  const isName = (text: string) => text.trim() !== '' && 'problem' in readText('number', text);
  const hasKey = first.some((text) => keyNames.includes(text.trim().toLowerCase()));
  const isUsual = others.length > 0 && new Set(first).size === first.length;
  return first.every(isName) && (hasKey || isUsual);
}

/** A name that is there already gets a number. */
function withOwnNames(columns: readonly PlannedColumn[]): readonly PlannedColumn[] {
  const taken = new Set<string>();
  return columns.map((column) => {
    let { name } = column;
    for (let n = 2; taken.has(name); n++) name = `${column.name} ${n}`;
    taken.add(name);
    return { ...column, name };
  });
}

/** The type that all texts of a column have. Texts such as 007 are not taken for numbers. */
function typeOf(texts: readonly string[]): ColumnType {
  const given = texts.filter((text) => text.trim() !== '');
  const are = (isOne: (text: string) => boolean) => given.length > 0 && given.every(isOne);
  if (are((text) => 'json' in readText('number', text))) return 'number';
  if (are((text) => /^(true|false)$/i.test(text.trim()))) return 'boolean';
  return are((text) => isNested(text.trim())) ? 'json' : 'string';
}

const isNested = (text: string) =>
  (text.startsWith('{') && 'json' in readText('object', text)) ||
  (text.startsWith('[') && 'json' in readText('list', text));

/** The column that is named as keys are, and has another text in each row. */
function keyColumnOf(
  columns: readonly PlannedColumn[],
  rows: readonly (readonly string[])[],
): number | undefined {
  const isKey = (at: number) => {
    const texts = rows.map((row) => row[at] ?? '');
    return texts.every((text) => text !== '') && new Set(texts).size === texts.length;
  };
  const found = keyNames
    .map((name) => columns.findIndex((column) => column.name.toLowerCase() === name))
    .find((at) => at !== -1 && isKey(at));
  return found;
}

/** What is wrong with a plan, for a person; undefined if nothing is. */
export function planProblem({ columns, keyColumn }: CsvPlan): string | undefined {
  const kept = columns.filter(({ type }, at) => type !== 'skip' && at !== keyColumn);
  const names = kept.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) return `Two columns are named ${twice}.`;
  if (names.includes('')) return 'A column has no name.';
  if (names.includes('key')) return 'The column key must be the one that has the keys, or have another name.';
  return names.length === 0 && keyColumn === undefined ? 'No column is left.' : undefined;
}
