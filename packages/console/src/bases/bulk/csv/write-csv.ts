import { kindOf } from '../../../exact/scan.js';
import { textOf } from '../../edit/text.js';
import type { Row } from '../../view/row.js';
import { neutralised } from './formulas.js';

/** How items become a table. */
export interface TableForm {
  readonly delimiter: string;
  /** For spreadsheets: with the mark by which Excel knows UTF-8, and no text that could be run as a formula. */
  readonly isForSpreadsheets: boolean;
}

/** By it Excel knows UTF-8. */
const mark = '\ufeff';

/** Writes items as lines of a table with these columns. Its first line has their names. */
export async function createTableWriter(
  names: readonly string[],
  { delimiter, isForSpreadsheets }: TableForm,
): Promise<{ readonly head: string; lines(rows: readonly Row[]): string }> {
  const Papa = (await import('papaparse')).default;
  const write = (table: string[][]) => `${Papa.unparse(table, { delimiter, newline: '\r\n' })}\r\n`;
  const safe = (text: string) => (isForSpreadsheets ? neutralised(text) : text);
  const cell = (json: string | undefined) => {
    if (json === undefined) return '';
    return kindOf(json) === 'string' ? safe(textOf(json)) : json;
  };
  return {
    head: `${isForSpreadsheets ? mark : ''}${write([names.map(safe)])}`,
    lines: (rows) =>
      rows.length === 0
        ? ''
        : write(rows.map(({ attributes }) => names.map((name) => cell(attributes.get(name))))),
  };
}
