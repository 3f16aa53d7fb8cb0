import { countOf } from '../../ui/format.js';
import { type JobControl, runJob } from '../../ui/jobs.js';
import { tell, tellFailure } from '../../ui/toast.js';
import { exportBase } from '../base-api.js';
import type { ListingRequest } from '../listing/listing.js';
import { everything } from '../query/model.js';
import type { Row } from '../row.js';
import { walkMatches } from './matches.js';

const type = 'application/x-ndjson';
const pageLimit = 1000;
/** Bytes or characters after which a part of the file is handed to the browser, which can keep it on the disk. */
const partSize = 8_000_000;

/** Saves items as a file, one a line, as they are stored. `read` gives them. */
export async function saveRows(
  base: string,
  read: (signal: AbortSignal) => Promise<readonly Row[]>,
): Promise<void> {
  await save(base, async ({ signal }) => {
    const rows = await read(signal);
    const lines = rows.map(({ text }) => `${text}\n`);
    return { file: new Blob(lines, { type }), count: rows.length };
  });
}

/** Saves all items that match the query of a view, in the order of their keys: the whole base in one request, or page by page. */
export async function saveMatches(request: ListingRequest, total: number | undefined): Promise<void> {
  await save(request.base, (control) =>
    request.query === everything
      ? readBase(request.base, control, total)
      : readMatches(request, control, total),
  );
}

interface Saved {
  readonly file: Blob;
  readonly count: number;
}

async function save(base: string, work: (control: JobControl) => Promise<Saved>): Promise<void> {
  try {
    const { file, count } = await runJob(`Exporting ${base}`, work);
    saveFile(`${base}.ndjson`, file);
    tell(`Exported ${countOf(count, 'item')}`);
  } catch (cause) {
    tellFailure(cause);
  }
}

/** The export of the service, whose items are counted by the ends of their lines. */
async function readBase(base: string, { signal, report }: JobControl, total?: number): Promise<Saved> {
  const reader = (await exportBase(base, signal)).body?.getReader();
  const parts: Blob[] = [];
  let part: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  let count = 0;
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
    for (const byte of next.value) if (byte === 0x0a) count++;
    part.push(next.value);
    size += next.value.length;
    report(count, total);
    if (size < partSize) continue;
    parts.push(new Blob(part));
    part = [];
    size = 0;
  }
  return { file: new Blob([...parts, ...part], { type }), count };
}

async function readMatches(
  { base, query }: ListingRequest,
  { signal, report }: JobControl,
  total?: number,
): Promise<Saved> {
  const parts: Blob[] = [];
  let lines: string[] = [];
  let size = 0;
  let count = 0;
  for await (const rows of walkMatches(base, query, { limit: pageLimit, signal })) {
    for (const { text } of rows) {
      lines.push(`${text}\n`);
      size += text.length;
    }
    count += rows.length;
    report(count, total);
    if (size < partSize) continue;
    parts.push(new Blob(lines));
    lines = [];
    size = 0;
  }
  return { file: new Blob([...parts, ...lines], { type }), count };
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
