import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startPostgres, type TestPostgres } from 'basedrive-acceptance/services/postgres.js';
import type { ItemStore } from '../../../src/engines/item-store.js';
import { freshDatabase, withStoresAt } from '../../support/postgres-databases.js';
import { type Rewrite, startRewriter } from '../../support/postgres-rewriter.js';

let postgres: TestPostgres;

before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

const value = Buffer.from('1');

/** A duplicate key as Citus reports it when it copies rows to a shard. Both spellings have one length. */
const reportAsCopyError: Rewrite = (text) =>
  text
    .replaceAll('\0C23505\0', '\0CXX000\0')
    .replace(/\0Fnbtinsert\.c\0L(\d+)\0R_bt_check_unique\0/g, '\0Fmulti_copy.c\0L$1\0RReportCopyError\0');

/** Two stores on one database that reports duplicate keys as Citus does. `reported` counts them. */
async function withCitusStores(
  work: (stores: readonly [ItemStore, ItemStore], reported: () => number) => Promise<void>,
): Promise<void> {
  const { url } = await freshDatabase(postgres);
  let reported = 0;
  const rewriter = await startRewriter(postgres.port, {
    rewriteReceived(text) {
      const rewritten = reportAsCopyError(text);
      if (rewritten.includes('\0RReportCopyError\0')) reported++;
      return rewritten;
    },
  });
  const through = url.replace(`:${postgres.port}/`, `:${rewriter.port}/`);
  try {
    await withStoresAt([through, through], ([one, other]) =>
      work([one as ItemStore, other as ItemStore], () => reported),
    );
  } finally {
    await rewriter.close();
  }
}

describe('a duplicate key that Citus reports as a failed copy is a conflict, and the transaction is tried again', () => {
  test('of two servers that insert one key one wins, and the other one sees its row', async () => {
    await withCitusStores(async (stores, reported) => {
      for (let round = 0; reported() === 0 || round < 20; round++) {
        const key = `key${round}`;
        const inserted = await Promise.all(
          stores.map((store) =>
            store.transact('s', [key], ([row]) =>
              row === undefined ? { puts: [{ key, value }], result: true } : { result: false },
            ),
          ),
        );
        assert.deepEqual(inserted.toSorted(), [false, true], key);
      }
    });
  });

  test('a put and a delete of an absent key both succeed', async () => {
    await withCitusStores(async ([one, other], reported) => {
      for (let round = 0; reported() === 0 || round < 20; round++) {
        const key = `key${round}`;
        const marker = `marker${round}`;
        await Promise.all([
          one.transact('s', [key], () => ({ puts: [{ key, value }], result: undefined })),
          // Reads the key without a row, so its absence is held by an insert that may meet the put.
          other.transact('s', [key, marker], () => ({
            puts: [{ key: marker, value }],
            deletes: [key],
            result: undefined,
          })),
        ]);
        assert.ok((await one.get('s', marker)) !== undefined);
      }
    });
  });
});
