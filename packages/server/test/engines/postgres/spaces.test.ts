import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startPostgres, type TestPostgres } from 'basedrive-acceptance/services/postgres.js';
import type { ItemStore } from '../../../src/engines/item-store.js';
import { freshDatabase, throughPort, withStoresAt } from '../../support/postgres-databases.js';
import { type Rewrite, startRewriter } from '../../support/postgres-rewriter.js';

let postgres: TestPostgres;

before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

const names = Array.from({ length: 700 }, (_, n) => `base/demo/b${1000 + n}`);

/** A store with these spaces. `sent` gives the statements that were bound since it was asked last. */
async function withSpaces(
  rewrite: Rewrite,
  work: (store: ItemStore, sent: () => string[]) => Promise<void>,
): Promise<void> {
  const { name, url } = await freshDatabase(postgres);
  await postgres.ask(
    `INSERT INTO basedrive_rows SELECT convert_to('base/demo/b' || n, 'UTF8'), 'k', 'v' FROM generate_series(1000, 1699) n`,
    name,
  );
  let bound: string[] = [];
  const rewriter = await startRewriter(postgres.port, {
    rewriteSent(text) {
      // Bind: its length, the portal without a name, and the name of the statement.
      bound.push(...Array.from(text.matchAll(/B.{4}\0([a-z_]+)\0/gs), ([, statement = '']) => statement));
      return rewrite(text);
    },
  });
  try {
    await withStoresAt([throughPort(url, rewriter.port)], async ([store]) => {
      await work(store as ItemStore, () => {
        const sent = bound;
        bound = [];
        return sent;
      });
    });
  } finally {
    await rewriter.close();
  }
}

async function listed(store: ItemStore, ahead?: number): Promise<string[]> {
  const found: string[] = [];
  for await (const space of store.spaces('base/demo/', { ahead })) found.push(space);
  return found;
}

test('many spaces, and the first rows of many, take one statement', async () => {
  await withSpaces(
    (text) => text,
    async (store, sent) => {
      sent();
      assert.deepEqual(await listed(store, 1000), names);
      assert.deepEqual(sent(), ['next_spaces', 'next_spaces']);
      assert.equal((await store.firstRows(names, {})).filter((head) => head?.key === 'k').length, 700);
      assert.deepEqual(sent(), ['first_rows', 'first_rows']);
      for await (const _ of store.spaces('base/demo/', { ahead: 11 })) break;
      assert.deepEqual(sent(), ['next_spaces']);
    },
  );
});

/** Both spellings have one length. */
const misspelling =
  (word: string, misspelt: string): Rewrite =>
  (text) =>
    text.replaceAll(word, misspelt);

test('a database that refuses such statements, as Citus does over several shards, takes one for each space', async () => {
  await withSpaces(misspelling('WITH RECURSIVE', 'WITH RECURSION'), async (store, sent) => {
    sent();
    assert.deepEqual(await listed(store, 1000), names);
    assert.deepEqual(sent(), ['next_spaces', ...Array(701).fill('next_space')]);
    assert.deepEqual(await listed(store, 1000), names);
    assert.deepEqual(sent(), Array(701).fill('next_space'));
  });
  await withSpaces(misspelling('LATERAL', 'LATERAI'), async (store, sent) => {
    sent();
    assert.equal(
      (await store.firstRows([...names, 'none'], {})).filter((head) => head?.key === 'k').length,
      700,
    );
    assert.deepEqual(sent(), ['first_rows', ...Array(701).fill('first_row')]);
  });
});
