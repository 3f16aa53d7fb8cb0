import { PageError } from '../../../api/page-error.js';

type Newline = '\n' | '\r' | '\r\n';

/** How a table is written in a file. */
export interface CsvForm {
  readonly delimiter: string;
  readonly newline: Newline;
  /** The name of the encoding of its characters, for a `TextDecoder`. */
  readonly encoding: string;
}

/** The start of a table, and how it seems to be written. */
export interface CsvSample extends CsvForm {
  readonly rows: readonly (readonly string[])[];
}

/** A row of cells, and the line of the file in which it begins: cells may have line breaks. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

export interface CsvChunk {
  readonly rows: readonly CsvRow[];
  /** The part of the file that is read, from 0 to 1. */
  readonly part: number;
}

/** Bytes of the start from which the form of a table is guessed. */
const sampleBytes = 262_144;
const sampleRows = 1000;
/** Characters that one row may have: beyond, a quote was mostly not closed. */
const maxRowCharacters = 16_000_000;
export const delimiters = [',', ';', '\t', '|'] as const;

// It is loaded when the first table is read.
const loadPapa = async () => (await import('papaparse')).default;

/** Reads the start of a table. What is `given` is not guessed. */
export async function readSample(file: Blob, given: Partial<CsvForm> = {}): Promise<CsvSample> {
  const Papa = await loadPapa();
  const encoding = given.encoding ?? (await guessEncoding(file));
  const bytes = await file.slice(0, sampleBytes).arrayBuffer();
  const text = new TextDecoder(encoding).decode(bytes, { stream: bytes.byteLength < file.size });
  const { data, meta } = Papa.parse<string[]>(text, {
    delimiter: given.delimiter ?? '',
    delimitersToGuess: [...delimiters],
    preview: sampleRows,
    // The end of the last line would count as a row of one cell, and a small table of two columns as one of fewer.
    skipEmptyLines: true,
  });
  // The last row of a part of a file may be cut.
  const rows = bytes.byteLength < file.size && data.length < sampleRows ? data.slice(0, -1) : data;
  const isBlank = (row: readonly string[]) => row.length === 1 && row[0]?.trim() === '';
  return {
    encoding,
    delimiter: meta.delimiter,
    newline: meta.linebreak as Newline,
    rows: rows.filter((row) => !isBlank(row)),
  };
}

/** All rows of a table, in parts. Blank lines are none. Rejects with a `PageError` if a quote is not closed. */
export async function* readRows(
  file: Blob,
  { delimiter, newline, encoding }: CsvForm,
  signal: AbortSignal,
): AsyncGenerator<CsvChunk> {
  const Papa = await loadPapa();
  const decoder = new TextDecoder(encoding);
  const reader = file.stream().getReader();
  let [rest, line, bytes] = ['', 1, 0];
  for (let isEnd = false; !isEnd && !signal.aborted; ) {
    const { value, done } = await reader.read();
    isEnd = done;
    bytes += value?.byteLength ?? 0;
    rest += decoder.decode(value, { stream: !done });
    const parser = new Papa.Parser({ delimiter, newline });
    const { data, errors, meta } = parser.parse(rest, 0, !done) as Parsed;
    const rows: CsvRow[] = [];
    for (const cells of data) {
      if (cells.length > 1 || cells[0]?.trim() !== '') rows.push({ line, cells });
      line += 1 + lineBreaks(cells);
    }
    rest = rest.slice(meta.cursor);
    const isOpen = errors.some(({ code }) => code === 'MissingQuotes') || rest.length > maxRowCharacters;
    if (isOpen) throw new PageError(`Line ${rows.at(-1)?.line ?? line}: a quote is not closed.`);
    if (rows.length > 0) yield { rows, part: file.size === 0 ? 1 : bytes / file.size };
  }
  await reader.cancel();
}

/** What the parser makes of a text. Its own types leave this open. */
interface Parsed {
  readonly data: readonly (readonly string[])[];
  readonly errors: readonly { readonly code: string }[];
  /** `cursor`: the place after the last whole row. */
  readonly meta: { readonly cursor: number };
}

function lineBreaks(cells: readonly string[]): number {
  return cells.reduce((sum, cell) => sum + (cell.match(/\r\n|\r|\n/g)?.length ?? 0), 0);
}

/** Spreadsheets on Windows write what is not UTF-8 mostly in Windows-1252. */
async function guessEncoding(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.slice(0, sampleBytes).arrayBuffer());
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return 'utf-8';
  } catch {
    return 'windows-1252';
  }
}
