import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startPostgres, type TestPostgres } from 'basedrive-acceptance/services/postgres.js';
import type { ItemStore } from '../../../src/engines/item-store.js';
import { migrateSchema } from '../../../src/engines/postgres/schema.js';
import { openPostgresStore } from '../../../src/engines/postgres/store.js';
import { OperatorError } from '../../../src/operator-error.js';
import { installCitusCatalog } from '../../support/citus-catalog.js';
import { freshDatabase, throughPort, withStoresAt } from '../../support/postgres-databases.js';
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
  const through = throughPort(url, rewriter.port);
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

test('up to 32 rows are written as a list of values of one space, which Citus sends to its shard as it is', async (context) => {
  const { url } = await freshDatabase(postgres);
  const inserts: string[] = [];
  const rewriter = await startRewriter(postgres.port, {
    rewriteSent(text) {
      inserts.push(...(text.match(/INSERT INTO basedrive_rows[^\0]*/g) ?? []));
      return text;
    },
  });
  context.after(() => rewriter.close());
  await withStoresAt([throughPort(url, rewriter.port)], async ([store]) => {
    assert.ok(store !== undefined);
    for (const count of [1, 2, 25, 32]) {
      const keys = Array.from({ length: count }, (_, n) => `${count}-${n}`);
      const puts = keys.map((key) => ({ key, value }));
      await store.transact('s', [], () => ({ puts, result: undefined }));
      await store.transact('t', keys, () => ({ puts, result: undefined }));
    }
  });
  assert.equal(inserts.length, 8);
  for (const insert of inserts) {
    assert.match(insert, /VALUES \(\$1, \$2, \$3, \$4\)(, \(\$1, \$\d+, \$\d+, \$\d+\))*( ON CONFLICT .*)?$/);
  }
});

test('migrate distributes the rows by space once, and a server opens them', async () => {
  const url = await postgres.createDatabase('distributed');
  await installCitusCatalog(postgres, 'distributed');
  assert.match((await migrateSchema(url)).join('; '), /distributed basedrive_rows over the shards by space/);
  assert.deepEqual(await postgres.ask('SELECT logicalrelid, partkey FROM pg_dist_partition', 'distributed'), [
    'basedrive_rows|space',
  ]);
  assert.deepEqual(await migrateSchema(url), []);
  await withStoresAt([url], async ([store]) => {
    assert.equal(await store?.get('s', 'none'), undefined);
  });
});

test('rows that Citus distributes by key are refused by a server and by migrate, with the statement that corrects it', async () => {
  const { name, url } = await freshDatabase(postgres);
  await installCitusCatalog(postgres, name);
  await postgres.ask(`SELECT create_distributed_table('basedrive_rows', 'key')`, name);
  for (const attempt of [() => openPostgresStore({ url }), () => migrateSchema(url)]) {
    await assert.rejects(attempt, (cause) => {
      assert.ok(cause instanceof OperatorError, String(cause));
      assert.match(
        cause.message,
        /by key, .*alter_distributed_table\('basedrive_rows', distribution_column := 'space'\)/,
      );
      return true;
    });
  }
});

test('rows that Citus keeps on one shard have no distribution column and are opened', async () => {
  const { name, url } = await freshDatabase(postgres);
  await installCitusCatalog(postgres, name);
  await postgres.ask(`SELECT create_distributed_table('basedrive_rows', NULL)`, name);
  await withStoresAt([url], async ([store]) => {
    assert.equal(await store?.get('s', 'none'), undefined);
  });
});
