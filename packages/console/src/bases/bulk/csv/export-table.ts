import { countOf } from '../../../ui/format.js';
import { tell } from '../../../ui/toast.js';
import type { Row } from '../../view/row.js';
import { save } from '../export.js';
import { createTableWriter, type TableForm } from './write-csv.js';

/** The items of a table, page by page. */
export type ReadPages = (signal: AbortSignal) => AsyncIterable<readonly Row[]>;

interface TableExport extends TableForm {
  readonly base: string;
  readonly read: ReadPages;
  readonly total: number | undefined;
  /** The columns that come first; of `all`, those that only some items have follow. */
  readonly names: readonly string[];
  readonly isAll: boolean;
}

/**
 * Saves items as a table, as they come. For all attributes the items are read twice: a table names its columns first. A
 * message says what was left out because it is in no column.
 */
export async function exportTable({ base, read, total, names, isAll, ...form }: TableExport): Promise<void> {
  const left = { items: 0, names: new Set<string>() };
  await save({ base, ending: 'csv', total }, async function* ({ signal }, counted) {
    const columns = isAll ? await namesIn(read(signal), names) : names;
    const known = new Set(columns);
    const writer = await createTableWriter(columns, form);
    const encoder = new TextEncoder();
    yield encoder.encode(writer.head);
    for await (const rows of read(signal)) {
      yield encoder.encode(writer.lines(rows));
      counted(rows.length);
      for (const { attributes } of rows) {
        const others = [...attributes.keys()].filter((name) => !known.has(name));
        if (others.length > 0) left.items++;
        for (const name of others) left.names.add(name);
      }
    }
  });
  if (left.items > 0)
    tell(
      `${countOf(left.items, 'item has', 'items have')} ${countOf(left.names.size, 'attribute')} more, which the file has not`,
      { of: base },
    );
}

async function namesIn(
  pages: AsyncIterable<readonly Row[]>,
  first: readonly string[],
): Promise<readonly string[]> {
  const names = new Set(first);
  for await (const rows of pages)
    for (const { attributes } of rows) for (const name of attributes.keys()) names.add(name);
  return [...names];
}
