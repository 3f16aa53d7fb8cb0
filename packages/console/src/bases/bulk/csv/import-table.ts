import {
  type FailedLine,
  type Imported,
  type ImportOptions,
  importParts,
  type Part,
} from '../import-request.js';
import { plannedRows } from './check-csv.js';
import type { CsvPlan } from './csv-plan.js';

/** Characters of items that are sent at a time. */
const partCharacters = 2_000_000;

/** Stores the rows of a table as items. Rows that are not valid items are refused with their lines, the others are stored. */
export function importTable(
  base: string,
  file: Blob,
  plan: CsvPlan,
  options: ImportOptions,
): Promise<Imported> {
  return importParts(base, partsOf(file, plan, options.signal), options);
}

async function* partsOf(file: Blob, plan: CsvPlan, signal: AbortSignal): AsyncGenerator<Part> {
  let waiting = start();
  let read = 0;
  for await (const { rows, part } of plannedRows(file, plan, signal)) {
    for (const row of rows) {
      if ('errors' in row) waiting.refused.push(row);
      else {
        waiting.lines.push(row.line);
        waiting.texts.push(`${row.json}\n`);
        waiting.size += row.json.length;
      }
      if (waiting.size < partCharacters) continue;
      yield asPart(waiting, read);
      waiting = start();
    }
    read = part;
  }
  yield asPart(waiting, 1);
}

interface Waiting {
  readonly texts: string[];
  /** The line of each text. */
  readonly lines: number[];
  readonly refused: FailedLine[];
  size: number;
}

const start = (): Waiting => ({ texts: [], lines: [], refused: [], size: 0 });

function asPart({ texts, lines, refused }: Waiting, part: number): Part {
  return { bytes: new Blob(texts), lineOf: (line) => lines[line - 1] ?? line, part, refused };
}
