import { downloadPlace } from '../../disk/save-place.js';
import { countOf } from '../../ui/format.js';
import { type JobControl, runJob } from '../../ui/jobs.js';
import { tell, tellFailure } from '../../ui/toast.js';
import { exportBase } from '../base-api.js';
import type { ListingRequest } from '../listing/request.js';
import { everything } from '../query/model.js';
import type { Row } from '../view/row.js';
import { walkMatches } from './matches.js';

const pageLimit = 1000;
const newline = 0x0a;

/** Gives the lines of an export as bytes, and says how many lines were in each of the chunks. */
type Lines = (
  control: JobControl,
  counted: (lines: number) => void,
) => AsyncGenerator<Uint8Array<ArrayBuffer>>;

/** Saves items as a file, one a line, as they are stored. `read` gives them. */
export async function saveRows(
  base: string,
  read: (signal: AbortSignal) => Promise<readonly Row[]>,
): Promise<void> {
  await save({ base }, async function* ({ signal }, counted) {
    const rows = await read(signal);
    yield linesOf(rows);
    counted(rows.length);
  });
}

/** Saves all items that match the query of a view, in the order of their keys: the whole base in one request, or page by page. */
export async function saveMatches({ base, query }: ListingRequest, total: number | undefined): Promise<void> {
  const read: Lines = query === everything ? readBase(base) : readMatches(base, query);
  await save({ base, total }, read);
}

interface Saved {
  readonly base: string;
  /** What the name of the file ends in. */
  readonly ending?: string;
  /** The number of items, if it is known. */
  readonly total?: number | undefined;
}

/** Saves lines as they come: nothing of an item stays in the page. */
export async function save({ base, ending = 'ndjson', total }: Saved, read: Lines): Promise<void> {
  let count = 0;
  try {
    await runJob(`Exporting ${base}`, async (control) => {
      const lines = read(control, (more) => {
        count += more;
        control.report(count, total);
      });
      await downloadPlace(`${base}.${ending}`).write(streamOf(lines), control.signal);
    });
    tell(`Exported ${countOf(count, 'item')}`, { of: base });
  } catch (cause) {
    tellFailure(cause);
  }
}

/** The export of the service, whose items are counted by the ends of their lines. */
function readBase(base: string): Lines {
  return async function* ({ signal }, counted) {
    const reader = (await exportBase(base, signal)).body?.getReader();
    try {
      for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
        yield next.value;
        counted(countLines(next.value));
      }
    } finally {
      await reader?.cancel();
    }
  };
}

function readMatches(base: string, query: string): Lines {
  return async function* ({ signal }, counted) {
    for await (const rows of walkMatches(base, query, { limit: pageLimit, signal })) {
      yield linesOf(rows);
      counted(rows.length);
    }
  };
}

function linesOf(rows: readonly Row[]): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(rows.map(({ text }) => `${text}\n`).join(''));
}

/** The lines of bytes, by their ends. */
export function countLines(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) count++;
  return count;
}

function streamOf(chunks: AsyncGenerator<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await chunks.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
