import type { KeyBounds, ScannedRow, ScanRange, TextRow } from '../item-store.js';
import { keyRange } from '../shared/key-range.js';
import type { Run, Statement } from './pool.js';

/** A page ends after this many rows, or with the row that reaches this many bytes. */
const pageRows = 512;
const pageBytes = 128 * 1024;
/** Follows every key and every space: UTF-8 never contains this byte. */
export const afterLastKey = Buffer.from([0xff]);

/**
 * Selects the rows of a page by their sizes, which the database knows without reading the values, and reads only those
 * that fit. The first row always fits.
 */
function pageStatement(name: string, direction: 'ASC' | 'DESC'): Statement {
  return {
    name,
    text: `SELECT key, value, due FROM (
        SELECT key, value, due, sum(octet_length(value)) OVER (ORDER BY key ${direction}) - octet_length(value) AS before
        FROM basedrive_rows WHERE space = $1 AND key >= $2 AND key < $3 ORDER BY key ${direction} LIMIT $4
      ) AS page WHERE before < $5 ORDER BY key ${direction}`,
  };
}

const forward = pageStatement('page', 'ASC');
const backward = pageStatement('page_back', 'DESC');

/** The number of rows that a statement counts: some milliseconds. */
const countedRows = 20_000;
/** The last of the next rows, and how many they are. CockroachDB's `int` is an `int8`, which the driver would give as text. */
const countPage: Statement = {
  name: 'count_page',
  text: `SELECT key, n::int4 FROM (
      SELECT key, row_number() OVER (ORDER BY key) AS n
      FROM basedrive_rows WHERE space = $1 AND key >= $2 AND key < $3 ORDER BY key LIMIT ${countedRows}
    ) AS page ORDER BY n DESC LIMIT 1`,
};

interface PageRow {
  readonly key: Buffer;
  readonly value: Buffer;
  /** The driver gives a `bigint` as text. */
  readonly due: string | null;
}

/** The first key of a range, and the first one after it. */
export function boundsOf(range: KeyBounds): [from: Buffer, to: Buffer] {
  const { gte, lt } = keyRange(range);
  return [Buffer.from(gte), lt === undefined ? afterLastKey : Buffer.from(lt)];
}

/** The rows of a range, page by page. `run` must see one snapshot in all its statements. */
export async function* scanPages(run: Run, space: string, range: ScanRange): AsyncGenerator<ScannedRow[]> {
  const spaceBytes = Buffer.from(space);
  let [from, to] = boundsOf(range);
  let left = range.limit ?? Number.POSITIVE_INFINITY;
  let wanted = Math.min(range.firstBatch ?? pageRows, pageRows);
  while (left > 0) {
    const limit = Math.min(wanted, left);
    const statement = range.reverse ? backward : forward;
    const found = (await run(statement, [spaceBytes, from, to, limit, pageBytes])).rows as PageRow[];
    const last = found.at(-1);
    if (last === undefined) return;
    left -= found.length;
    if (range.reverse) to = last.key;
    // The first key that can follow.
    else from = Buffer.concat([last.key, Buffer.alloc(1)]);
    yield found.map(({ key, value, due }): ScannedRow => {
      const row = { key: key.toString(), value };
      return range.withDue && due !== null ? { ...row, dueSeconds: Number(due) } : row;
    });
    // A page with fewer rows than asked for is the last one, unless it is full of bytes.
    const isFullOfBytes = found.reduce((sum, { value }) => sum + value.length, 0) >= pageBytes;
    if (found.length < limit && !isFullOfBytes) return;
    wanted = pageRows;
  }
}

/** How many rows parts of a range have. `run` must see one snapshot in all its statements. */
export async function* countPages(run: Run, space: string, range: KeyBounds): AsyncGenerator<number> {
  const spaceBytes = Buffer.from(space);
  for (let [from, to] = boundsOf(range); ; ) {
    const [last] = (await run(countPage, [spaceBytes, from, to])).rows as { key: Buffer; n: number }[];
    if (last === undefined) return;
    yield last.n;
    if (last.n < countedRows) return;
    from = Buffer.concat([last.key, Buffer.alloc(1)]);
  }
}

/** Rows whose values are text, which the driver gives as buffers. */
export async function* textRows(
  batches: AsyncIterable<readonly ScannedRow[]>,
): AsyncGenerator<readonly TextRow[]> {
  for await (const rows of batches)
    yield rows.map(({ key, value }) => ({ key, text: value.toString(), bytes: value.length }));
}
