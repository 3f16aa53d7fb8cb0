import type { FailedLine } from '../import-request.js';
import { itemOf } from './csv-item.js';
import type { CsvPlan } from './csv-plan.js';
import { readRows } from './csv-reader.js';

/** A row that is an item, or one that is not. */
export type PlannedRow =
  | { readonly line: number; readonly key: string | undefined; readonly json: string }
  | FailedLine;

/** The rows of a table as items, in parts. */
export async function* plannedRows(
  file: Blob,
  plan: CsvPlan,
  signal: AbortSignal,
): AsyncGenerator<{ readonly rows: readonly PlannedRow[]; readonly part: number }> {
  let isHead = plan.hasHeader;
  for await (const { rows, part } of readRows(file, plan.form, signal)) {
    const body = isHead ? rows.slice(1) : rows;
    isHead = false;
    yield { rows: body.map(({ line, cells }) => ({ line, ...itemOf(cells, plan) })), part };
  }
}

/** What an import would do. */
export interface Checked {
  readonly items: number;
  readonly failed: number;
  /** The first lines that would be refused. */
  readonly lines: readonly FailedLine[];
  /** Items whose key is stored already; undefined if they were too many to be compared. */
  readonly taken: number | undefined;
  /** Lines that have the key of a line before them. */
  readonly repeated: number;
}

interface CheckOptions {
  readonly signal: AbortSignal;
  /** The keys that are stored, as far as they are compared. */
  readonly stored: ReadonlySet<string> | undefined;
  onPart(part: number): void;
}

const maxLines = 1000;
/** Keys that are compared with each other. */
const maxKeys = 500_000;

/** Reads the whole table and stores nothing. */
export async function checkTable(file: Blob, plan: CsvPlan, options: CheckOptions): Promise<Checked> {
  const { signal, stored, onPart } = options;
  const [keys, lines] = [new Set<string>(), [] as FailedLine[]];
  const counts = { items: 0, failed: 0, taken: 0, repeated: 0 };
  for await (const { rows, part } of plannedRows(file, plan, signal)) {
    for (const row of rows) {
      if ('errors' in row) {
        counts.failed++;
        if (lines.length < maxLines) lines.push(row);
        continue;
      }
      counts.items++;
      if (row.key === undefined) continue;
      if (stored?.has(row.key) === true) counts.taken++;
      if (keys.has(row.key)) counts.repeated++;
      else if (keys.size < maxKeys) keys.add(row.key);
    }
    onPart(part);
  }
  return { ...counts, lines, taken: stored === undefined ? undefined : counts.taken };
}
