// Tables as spreadsheets put them on the clipboard: lines of cells with tabs between them, and HTML.

/** The tab-separated text of a table. A cell with a tab, a line break or a quote is in quotes, which are doubled in it. */
export function writeTabs(table: readonly (readonly string[])[]): string {
  return table.map((row) => row.map(quoted).join('\t')).join('\n');
}

function quoted(cell: string): string {
  return /[\t\r\n"]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** A cell of the text: in quotes, up to a quote that is not doubled, or plain. Then what ends it. */
const cellPattern = /(?:"((?:[^"]|"")*)"(?=[\t\r\n]|$)|([^\t\r\n]*))(\t|\r\n|\r|\n|$)/y;

/** The cells of a text from the clipboard. A line break at its end belongs to no cell. */
export function readTabs(text: string): readonly (readonly string[])[] {
  const table: string[][] = [];
  let row: string[] = [];
  let isEnd = text === '';
  cellPattern.lastIndex = 0;
  while (!isEnd) {
    const [, inQuotes, plain = '', end] = cellPattern.exec(text) ?? [];
    row.push(inQuotes === undefined ? plain : inQuotes.replaceAll('""', '"'));
    isEnd = end === undefined || end === '' || (end !== '\t' && cellPattern.lastIndex === text.length);
    if (end === '\t') continue;
    table.push(row);
    row = [];
  }
  return table;
}

/** A cell of a table, and whether a spreadsheet must take it as text: it would round it, or run it. */
export interface ShownCell {
  readonly text: string;
  readonly isText: boolean;
}

/** A table as HTML, with the marks by which Excel (`mso-number-format`) and LibreOffice (`sdnum`) know texts. */
export function writeHtml(table: readonly (readonly ShownCell[])[]): string {
  const rows = table.map((row) => `<tr>${row.map(htmlCell).join('')}</tr>`).join('');
  return `<meta charset="utf-8"><table>${rows}</table>`;
}

const asText = ` style="mso-number-format:'\\@'" sdnum="1033;0;@"`;
const lineBreak = '<br style="mso-data-placement:same-cell">';

function htmlCell({ text, isText }: ShownCell): string {
  const escaped = text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/\r\n|\r|\n/g, lineBreak);
  return `<td${isText ? asText : ''}>${escaped}</td>`;
}
