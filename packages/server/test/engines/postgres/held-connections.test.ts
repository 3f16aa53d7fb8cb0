import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { startPostgres, type TestPostgres } from 'basedrive-acceptance/services/postgres.js';
import { Client } from 'pg';
import { headerKey, type ItemStore, type Snapshot } from '../../../src/engines/item-store.js';
import { openPostgresStore } from '../../../src/engines/postgres/store.js';
import { withDeadline } from '../../../src/engines/shared/deadline.js';
import { withTurns } from '../../../src/engines/shared/reading-turns.js';
import { openStoredLog } from '../../../src/feed/stored-log.js';
import { createTails } from '../../../src/feed/tails.js';
import { createKeyRing } from '../../../src/keys/key-ring.js';
import { changesSpaceOf } from '../../../src/spaces.js';
import { type Database, freshDatabase } from '../../support/postgres-databases.js';

const space = 'base/demo/users';
const poolSize = 10;
/** So many read at one moment at the same time: docs/engines.md. */
const momentsAtOnce = 4;
/** How long a call may take. */
const deadlineMs = 4000;
/** More than that, and more than the driver waits for a connection. */
const longMs = 6000;

let postgres: TestPostgres;

before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

/** As a server opens it. */
async function open(url: string): Promise<ItemStore> {
  return withTurns(withDeadline(await openPostgresStore({ url, poolSize }), deadlineMs));
}

async function keysIn(store: ItemStore): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const rows of store.scan(space)) keys.push(...rows.map(({ key }) => key));
  return keys;
}

describe('while others read at one moment on all connections that are for that', {
  concurrency: true,
}, () => {
  /** Two stores on one database, of which the first has all of these connections in use. */
  async function withHeld(work: (store: ItemStore, other: ItemStore, held: Snapshot[]) => Promise<void>) {
    const { url } = await freshDatabase(postgres);
    const [store, other] = await Promise.all([open(url), open(url)]);
    const held: Snapshot[] = [];
    try {
      await store.transact(space, [], () => ({
        puts: [{ key: 'a', value: Buffer.from('1') }],
        result: null,
      }));
      while (held.length < momentsAtOnce) held.push(await store.snapshot(space));
      await work(store, other, held);
    } finally {
      await Promise.all(held.map((snapshot) => snapshot.close()));
      await Promise.all([store.close(), other.close()]);
    }
  }

  test('a key that another server deletes ends', () =>
    withHeld(async (store, other) => {
      const [ring, rings] = await Promise.all(
        [store, other].map((items) => createKeyRing(items, [], Date.now)),
      );
      assert.ok(ring && rings);
      for (const access of ['full', 'read'] as const) {
        const { id, key } = await rings.create('demo', { access });
        await ring.reload();
        await ring.read(key);
        assert.ok(ring.authenticate(key));
        await rings.revoke(id, 'demo');
        await ring.reload();
        assert.equal(ring.authenticate(key), undefined);
      }
    }));

  test('those who follow the changes learn of them', () =>
    withHeld(async (store, other) => {
      const [log] = await Promise.all([store, other].map((items) => openStoredLog(items, Date.now, true)));
      assert.ok(log);
      const tails = createTails(store, log);
      const { tail, leave } = await tails.join(changesSpaceOf('demo'));
      const next = await log.complete();
      await other.transact(space, [], () => ({
        puts: [{ key: 'b', value: Buffer.from('1') }],
        result: null,
      }));
      await tail.wait(next, () => false);
      assert.equal(tail.from(next)?.rows.length, 1);
      leave();
      tails.stop();
    }));

  test('a reader waits until one of them has ended', () =>
    withHeld(async (store, _, held) => {
      let isRead = false;
      const reading = keysIn(store).then((keys) => {
        isRead = true;
        return keys;
      });
      await wait(longMs);
      assert.equal(isRead, false);
      await held.pop()?.close();
      assert.deepEqual(await reading, ['a']);
    }));

  test('what may take seconds leaves a connection to others', async () => {
    const { url } = await freshDatabase(postgres);
    const store = await open(url);
    const opened: Snapshot[] = [];
    const opening = Array.from({ length: 2 * momentsAtOnce }, async (_, n) => {
      const snapshot = await store.snapshot(`base/p${n}/users`, { isLong: true });
      opened.push(snapshot);
    });
    await Promise.all(opening.slice(0, momentsAtOnce - 1));
    assert.deepEqual(await keysIn(store), []);
    assert.equal(opened.length, momentsAtOnce - 1);
    for (let closed = 0; closed < opening.length; ) {
      const snapshot = opened[closed];
      if (snapshot === undefined) await wait(1);
      else {
        await snapshot.close();
        closed++;
      }
    }
    await Promise.all(opening);
    await store.close();
  });
});

describe('while writes wait for the lock of the table', () => {
  const spaces = Array.from({ length: poolSize }, (_, n) => `base/demo/${n}`);
  const put = (store: ItemStore, of: string, key: string) =>
    store.transact(of, [headerKey], () => ({ puts: [{ key, value: Buffer.from('1') }], result: null }));
  const waiting = async ({ name }: Database, query = '%') => {
    const statement = `SELECT count(*) FROM pg_stat_activity
      WHERE datname = '${name}' AND wait_event_type = 'Lock' AND query LIKE '${query}'`;
    return Number((await postgres.ask(statement))[0]);
  };

  /** Another transaction has the lock meanwhile. */
  async function withLocked(work: (store: ItemStore, database: Database) => Promise<void>): Promise<void> {
    const database = await freshDatabase(postgres);
    const store = await open(database.url);
    const client = new Client({ connectionString: database.url });
    await client.connect();
    try {
      await client.query('BEGIN; LOCK TABLE basedrive_rows IN SHARE ROW EXCLUSIVE MODE');
      await work(store, database);
    } finally {
      await client.end();
      await store.close();
    }
  }

  test('a read has a connection', () =>
    withLocked(async (store, database) => {
      for (const of of spaces) put(store, of, 'a').catch(() => {});
      while ((await waiting(database)) < 2);
      assert.equal(await store.get(space, 'a'), undefined);
      assert.ok((await waiting(database)) > 0);
    }));

  test('one connection waits for it to change a header', () =>
    withLocked(async (store, database) => {
      for (const of of spaces) put(store, of, headerKey).catch(() => {});
      while ((await waiting(database)) === 0);
      // Each takes longer than it takes the others to ask.
      for (let n = 0; n < 100; n++) await store.get(space, 'a');
      // Others that write wait behind it, such as the store's own upkeep.
      assert.equal(await waiting(database, 'LOCK TABLE %'), 1);
    }));
});
