import { groupsOf } from '../../lib/groups.js';
import { compareUtf8, endOfPrefix } from '../../lib/text/utf8-order.js';
import type { ItemStore, RowHead } from '../item-store.js';
import { byteaArray } from './bytea.js';
import { isUnknownStatement } from './errors.js';
import type { Run, Statement } from './pool.js';
import { afterLastKey, boundsOf } from './scan.js';

/** A statement gives at most this many spaces, or the first rows of at most this many. */
const maxSpaces = 512;

/** Goes from space to space in the index, as often as it is asked to: no row between two spaces is read. */
const nextSpaces: Statement = {
  name: 'next_spaces',
  text: `WITH RECURSIVE found (space, n) AS (
      (SELECT space, 1 FROM basedrive_rows WHERE space >= $1 AND space < $2 ORDER BY space LIMIT 1)
      UNION ALL
      SELECT (SELECT space FROM basedrive_rows WHERE space > found.space AND space < $2 ORDER BY space LIMIT 1), n + 1
      FROM found WHERE n < $3 AND found.space IS NOT NULL
    ) SELECT space FROM found WHERE space IS NOT NULL ORDER BY n`,
};
const nextSpace: Statement = {
  name: 'next_space',
  text: 'SELECT space FROM basedrive_rows WHERE space >= $1 AND space < $2 ORDER BY space LIMIT 1',
};
const firstRow: Statement = {
  name: 'first_row',
  text: 'SELECT key, due FROM basedrive_rows WHERE space = $1 AND key >= $2 AND key < $3 ORDER BY key LIMIT 1',
};
/** In the order of the spaces. All columns of a space without such a row are NULL. */
const firstRows: Statement = {
  name: 'first_rows',
  text: `SELECT first.key, first.due FROM unnest($1::bytea[]) WITH ORDINALITY AS given (space, n)
    LEFT JOIN LATERAL (${firstRow.text.replace('space = $1', 'space = given.space')}) AS first ON true ORDER BY n`,
};

interface FoundHead {
  readonly key: Buffer | null;
  /** The driver gives a `bigint` as text. */
  readonly due: string | null;
}

interface Bounds {
  readonly from: string;
  readonly to: Buffer;
}

/**
 * `spaces` and `firstRows` of the item store, with a round trip for many spaces. A database that has no such statements
 * (Citus refuses a recursion, or a subquery for each row, over several shards) takes one for each space. `runOf` gives what
 * runs statements on spaces like this one.
 */
export function createSpaceReads(runOf: (space: string) => Run): Pick<ItemStore, 'spaces' | 'firstRows'> {
  let takesOneByOne = false;

  async function manyOrOne<T>(many: () => Promise<T>, one: () => Promise<T>): Promise<T> {
    if (takesOneByOne) return await one();
    try {
      return await many();
    } catch (cause) {
      if (!isUnknownStatement(cause)) throw cause;
      takesOneByOne = true;
      return await one();
    }
  }

  async function spacesFrom(run: Run, { from, to }: Bounds, count: number): Promise<readonly string[]> {
    const read = async (statement: Statement, ...more: number[]) => {
      const { rows } = await run(statement, [Buffer.from(from), to, ...more]);
      return (rows as { readonly space: Buffer }[]).map(({ space }) => space.toString());
    };
    if (count === 1) return await read(nextSpace);
    return await manyOrOne(
      () => read(nextSpaces, count),
      () => read(nextSpace),
    );
  }

  return {
    async *spaces(prefix, { after, ahead = 1 } = {}) {
      const count = Math.min(ahead, maxSpaces);
      const end = endOfPrefix(prefix);
      const to = end === undefined ? afterLastKey : Buffer.from(end);
      const run = runOf(prefix);
      let from = after === undefined || compareUtf8(after, prefix) < 0 ? prefix : `${after}\0`;
      for (;;) {
        const found = await spacesFrom(run, { from, to }, count);
        yield* found;
        const last = found.at(-1);
        if (last === undefined || (found.length < count && !takesOneByOne)) return;
        // The first name that can follow: a space contains no NUL.
        from = `${last}\0`;
      }
    },

    async firstRows(spaces, range) {
      const run = runOf(spaces[0] ?? '');
      const bounds = boundsOf(range);
      const heads: (RowHead | undefined)[] = [];
      for (const some of groupsOf(spaces, maxSpaces)) {
        const part = some.map((space) => Buffer.from(space));
        const found = await manyOrOne(
          async () => (await run(firstRows, [byteaArray(part), ...bounds])).rows,
          () => Promise.all(part.map(async (space) => (await run(firstRow, [space, ...bounds])).rows[0])),
        );
        heads.push(...(found as (FoundHead | undefined)[]).map(headOf));
      }
      return heads;
    },
  };
}

function headOf(found: FoundHead | undefined): RowHead | undefined {
  if (found === undefined || found.key === null) return undefined;
  const key = found.key.toString();
  return found.due === null ? { key } : { key, dueSeconds: Number(found.due) };
}
