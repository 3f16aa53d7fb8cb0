import { jsonProblem } from '../../exact/print.js';
import { kindOf } from '../../exact/scan.js';
import { textOf } from '../edit/text.js';
import type { Block } from './cells.js';
import { readTabs, type ShownCell, writeHtml, writeTabs } from './table-text.js';

/** The type of what the console itself puts on the clipboard: values with their types, for its own pages. */
const ownType = 'application/x-basedrive-cells';

/** Digits that a spreadsheet keeps of a number. */
const spreadsheetDigits = 15;

/** Puts values on the clipboard: for spreadsheets, for text, and exactly for this page. */
export function putOnClipboard(data: DataTransfer, block: Block): void {
  const table = block.map((row) => row.map(shownCell));
  data.setData('text/plain', writeTabs(table.map((row) => row.map(({ text }) => text))));
  data.setData('text/html', writeHtml(table));
  data.setData(ownType, JSON.stringify(block.map((row) => row.map((json) => json ?? null))));
}

/** What is pasted: values of this page, or cells of text. */
export type Pasted =
  | { readonly block: Block }
  | { readonly texts: readonly (readonly string[])[] }
  | undefined;

/** What the clipboard has; undefined if it has no text. */
export function readClipboard(data: DataTransfer): Pasted {
  const own = data.getData(ownType);
  const block = own === '' ? undefined : readOwn(own);
  if (block !== undefined) return { block };
  const text = data.getData('text/plain');
  return text === '' ? undefined : { texts: readTabs(text) };
}

function shownCell(json: string | undefined): ShownCell {
  if (json === undefined) return { text: '', isText: false };
  const isString = kindOf(json) === 'string';
  const isLong = kindOf(json) === 'number' && json.replace(/\D/g, '').length > spreadsheetDigits;
  return { text: textOf(json), isText: isString || isLong };
}

/** Another page can write this type, too: what is no JSON value is not taken. */
function readOwn(text: string): Block | undefined {
  try {
    const block = JSON.parse(text) as (string | null)[][];
    const isValid = block.every((row) =>
      row.every((json) => json === null || jsonProblem(json) === undefined),
    );
    return isValid ? block.map((row) => row.map((json) => json ?? undefined)) : undefined;
  } catch {
    return undefined;
  }
}
