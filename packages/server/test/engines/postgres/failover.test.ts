import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import {
  findPgBouncers,
  preparesFrom,
  startPgBouncer,
  transactionMode,
} from 'basedrive-acceptance/services/pgbouncer.js';
import { startPostgres, startStandby, type TestPostgres } from 'basedrive-acceptance/services/postgres.js';
import { type NetworkProxy, startProxy } from 'basedrive-acceptance/services/proxy.js';
import type { ItemStore } from '../../../src/engines/item-store.js';
import { readHosts } from '../../../src/engines/postgres/hosts.js';
import { migrateSchema } from '../../../src/engines/postgres/schema.js';
import { migrateItems, openItems } from '../../../src/engines/registry.js';
import { StorageUnavailable } from '../../../src/engines/storage-errors.js';
import { keysOf } from '../../support/postgres-databases.js';

interface Pair {
  readonly primary: TestPostgres;
  readonly standby: TestPostgres;
  /** The way of the servers to the primary. */
  readonly toPrimary: NetworkProxy;
  /** The address of both. */
  readonly items: string;
}

/** A primary with tables, and its synchronous standby. */
async function startPair(context: TestContext): Promise<Pair> {
  const primary = await startPostgres();
  context.after(() => primary.stop());
  const { pathname } = new URL(await primary.createDatabase('rows'));
  await migrateSchema(`postgres://postgres@127.0.0.1:${primary.port}${pathname}`);
  const standby = await startStandby(primary);
  context.after(() => standby.stop());
  const toPrimary = await startProxy(primary.port);
  context.after(() => toPrimary.close());
  const hosts = [toPrimary.port, standby.port].map((port) => `127.0.0.1:${port}`).join();
  const items = `postgres://postgres@${hosts}${pathname}?target_session_attrs=read-write`;
  return { primary, standby, toPrimary, items };
}

/** Writers at two stores, and what was acknowledged to them. */
function startWriters(stores: readonly ItemStore[]) {
  const acknowledged = new Set<string>();
  let isOver = false;
  let failures = 0;
  const writers = Array.from({ length: 16 }, async (_, writer) => {
    for (let n = 0; !isOver; n++) {
      const key = `w${writer}-${n}`;
      const change = { puts: [{ key, value: Buffer.from(key) }], result: undefined };
      try {
        await (stores[writer % 2] as ItemStore).transact('s', n % 2 === 0 ? [] : [key], () => change);
        acknowledged.add(key);
      } catch (cause) {
        assert.ok(cause instanceof StorageUnavailable, String(cause));
        failures++;
        await wait(20);
      }
    }
  });
  return {
    acknowledged,
    failures: () => failures,
    /** Waits until so many more are acknowledged. */
    async more(count: number): Promise<void> {
      const goal = acknowledged.size + count;
      while (acknowledged.size < goal) await wait(5);
    },
    async end(): Promise<void> {
      isOver = true;
      await Promise.all(writers);
    },
  };
}

/** Opens two stores, lets the primary fail under load and promotes the standby. Nothing acknowledged may be missing. */
async function promoteUnderLoad(
  context: TestContext,
  { items, standby }: Pick<Pair, 'items' | 'standby'>,
  fail: () => Promise<void>,
  redirect?: () => Promise<void>,
): Promise<void> {
  const open = () => openItems({ address: items, variables: {}, create: false });
  const stores = [await open(), await open()];
  const writers = startWriters(stores);
  await writers.more(500);
  await fail();
  await standby.ask('SELECT pg_promote()');
  await redirect?.();
  const promotedMs = performance.now();
  const before = writers.acknowledged.size;
  await writers.more(1);
  context.diagnostic(
    `the first answer ${Math.round(performance.now() - promotedMs)} ms after the promotion, ${writers.failures()} failures`,
  );
  await writers.more(500);
  await writers.end();
  const stored = new Set(await keysOf(stores[0] as ItemStore));
  assert.deepEqual(
    [...writers.acknowledged].filter((key) => !stored.has(key)),
    [],
  );
  // A pooler may let all wait until it is sent to the standby, so that no write fails.
  assert.ok(before >= 500 && (redirect !== undefined || writers.failures() > 0));
  assert.deepEqual(await standby.ask(`SELECT count(*) FROM basedrive_rows WHERE space = 's'`, 'rows'), [
    String(stored.size),
  ]);
  for (const store of stores) await store.close();
}

test('a primary that is killed under load loses nothing, and servers with both addresses go on at its standby', async (context) => {
  const pair = await startPair(context);
  await promoteUnderLoad(context, pair, () => pair.primary.kill());
});

test('so does one that is shut down', async (context) => {
  const pair = await startPair(context);
  await promoteUnderLoad(context, pair, () => pair.primary.shutDown());
});

test('so does one that the network no longer reaches', async (context) => {
  const pair = await startPair(context);
  await promoteUnderLoad(context, pair, async () => pair.toPrimary.cut());
});

const programs = await findPgBouncers();
const program = programs.find(({ minor }) => minor >= preparesFrom) ?? programs[0];
if (program === undefined && process.env.BASEDRIVE_REQUIRE_PROGRAMS === '1')
  throw new Error('PgBouncer is required, but not installed');
const skip = program === undefined && 'PgBouncer is not installed';
for (const retrySeconds of [1, 15]) {
  test(`so do servers behind a PgBouncer that is sent to the standby (server_login_retry = ${retrySeconds})`, {
    skip,
  }, async (context) => {
    if (program === undefined) return;
    const pair = await startPair(context);
    const pooler = await startPgBouncer({
      program,
      target: pair.primary.port,
      settings: [
        ...transactionMode(program, program.minor >= preparesFrom),
        `server_login_retry = ${retrySeconds}`,
      ],
    });
    context.after(() => pooler.stop());
    await promoteUnderLoad(
      context,
      { items: pooler.url('rows'), standby: pair.standby },
      () => pair.primary.kill(),
      () => pooler.retarget(pair.standby.port),
    );
  });
}

test('a commit that somebody lets go on without its standby is not acknowledged', async (context) => {
  const { primary, standby, items } = await startPair(context);
  const store = await openItems({ address: items, variables: {}, create: false });
  const put = (keys: string[]) =>
    store.transact('s', keys, () => ({
      puts: [{ key: 'k', value: Buffer.from('1') }],
      result: 'acknowledged',
    }));
  assert.equal(await put([]), 'acknowledged');
  await standby.shutDown();
  for (const keys of [[], ['k']]) {
    const writing = put(keys);
    const refused = assert.rejects(writing, StorageUnavailable);
    const cancel = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;
    while ((await primary.ask(cancel)).length === 0) await wait(20);
    await refused;
  }
  await store.close();
});

test('a standby alone is refused, whichever place it has in the list, and a primary is found behind it', async (context) => {
  const { primary, standby } = await startPair(context);
  const at = (...ports: number[]) =>
    `postgres://postgres@${ports.map((port) => `127.0.0.1:${port}`).join()}/rows?target_session_attrs=read-write`;
  const open = (address: string) => openItems({ address, variables: {}, create: false });
  await assert.rejects(open(at(standby.port)), /it takes no writes: it is a standby/);
  await assert.rejects(
    open(at(standby.port, 1)),
    /127\.0\.0\.1:\d+: it takes no writes: .*; 127\.0\.0\.1:1: connect ECONNREFUSED/,
  );
  assert.deepEqual(await migrateItems(at(standby.port, primary.port), {}), []);
  const store = await open(at(1, standby.port, primary.port));
  await store.transact('s', [], () => ({ puts: [{ key: 'k', value: Buffer.from('1') }], result: undefined }));
  assert.deepEqual(await keysOf(store), ['k']);
  await store.close();
});

test('callers that look for the primary at the same time share one search', async () => {
  const hosts = readHosts('postgres:///rows?host=127.0.0.1,127.0.0.1&port=1,2');
  const searches = [hosts.find(), hosts.find()];
  assert.equal(searches[0], searches[1]);
  for (const search of searches) await assert.rejects(search, { name: 'NoPrimary' });
});
