import type { ScannedRow, ScanRange } from '../item-store.js';
import { keyRange } from '../shared/key-range.js';
import type { Run, Statement } from './pool.js';

/** Rows of one statement: so many at most, and no further one once they hold so much. */
const pageRows = 512;
const pageBytes = 128 * 1024;
/** Behind every key: no UTF-8 has this byte. */
const behindAll = Buffer.from([0xff]);

/**
 * The rows of a page are found by their sizes, which the database knows without reading them, and only those that
 * fit are read. The first one always is.
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

interface PageRow {
  readonly key: Buffer;
  readonly value: Buffer;
  /** `bigint` comes as text. */
  readonly due: string | null;
}

/** The rows of a range, page by page. The caller sees to it that all statements see one moment. */
export async function* scanPages(run: Run, space: string, range: ScanRange): AsyncGenerator<ScannedRow[]> {
  const stretch = keyRange(range);
  const spaceBytes = Buffer.from(space);
  let from: Buffer = Buffer.from(stretch.gte);
  let to: Buffer = stretch.lt === undefined ? behindAll : Buffer.from(stretch.lt);
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
    // A key holds no NUL: the next one cannot come before this.
    else from = Buffer.concat([last.key, Buffer.alloc(1)]);
    yield found.map(({ key, value, due }): ScannedRow => {
      const row = { key: key.toString(), value };
      return range.withDue && due !== null ? { ...row, dueSeconds: Number(due) } : row;
    });
    // Whether a short page was the last one, or the bytes cut it, only the next one tells.
    const isFullOfBytes = found.reduce((sum, { value }) => sum + value.length, 0) >= pageBytes;
    if (found.length < limit && !isFullOfBytes) return;
    wanted = pageRows;
  }
}
