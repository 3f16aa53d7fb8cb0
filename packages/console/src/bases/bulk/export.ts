import { countOf } from '../../ui/format.js';
import { tell, tellFailure } from '../../ui/toast.js';
import { exportBase, readPage } from '../base-api.js';
import type { ListingRequest } from '../listing.js';
import { everything } from '../query/model.js';
import type { Row } from '../row.js';

const type = 'application/x-ndjson';
const pageLimit = 1000;

/** Saves items as a file, one a line, as they are stored. */
export function saveRows(base: string, rows: readonly Row[]): void {
  saveFile(
    `${base}.ndjson`,
    new Blob(
      rows.map(({ text }) => `${text}\n`),
      { type },
    ),
  );
  tell(`Exported ${countOf(rows.length, 'item')}`);
}

/** Saves all items that match the query of a view: the whole base in one request, or page by page. */
export async function saveMatches(request: ListingRequest): Promise<void> {
  try {
    const file = request.query === everything ? await exportBase(request.base) : await readMatches(request);
    saveFile(`${request.base}.ndjson`, file);
    tell(`Exported ${request.base}`);
  } catch (cause) {
    tellFailure(cause);
  }
}

async function readMatches(request: ListingRequest): Promise<Blob> {
  const lines: string[] = [];
  let last: string | undefined;
  do {
    const page = await readPage(request.base, { ...request, limit: pageLimit, last });
    lines.push(...page.rows.map(({ text }) => `${text}\n`));
    last = page.last;
  } while (last !== undefined);
  return new Blob(lines, { type });
}

function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
