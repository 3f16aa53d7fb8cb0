import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  findPostgres,
  startPostgres,
  startStandby,
  type TestPostgres,
} from 'basedrive-acceptance/services/postgres.js';
import { unlimitedGrant } from '../../../src/access/grant.js';
import { allNames } from '../../../src/access/name-set.js';
import type { ItemStore } from '../../../src/engines/item-store.js';
import { migrateSchema } from '../../../src/engines/postgres/schema.js';
import { openItems } from '../../../src/engines/registry.js';
import { StorageUnavailable } from '../../../src/engines/storage-errors.js';
import { cursorOf } from '../../../src/feed/position.js';
import { createDropOld } from '../../../src/feed/retention.js';
import { createFeedService } from '../../../src/feed/service.js';
import { openStoredLog } from '../../../src/feed/stored-log.js';
import { RequestError } from '../../../src/request-error.js';
import { sharedLog } from '../../../src/store/standby/source-log.js';
import { freshDatabase } from '../../support/postgres-databases.js';

const run = promisify(execFile);
const bin = (await findPostgres()) ?? '';
const everything = { bases: allNames, drives: allNames, prefix: '', query: undefined, values: false };

let postgres: TestPostgres;

before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

/** A server over these rows, as far as the feed goes. */
async function startServer(context: TestContext, address: string) {
  const items = await openItems({ address, variables: {}, create: false });
  const log = await openStoredLog(items, Date.now, true);
  assert.ok(log);
  const feed = createFeedService(items, log, Date.now);
  context.after(async () => {
    feed.stop();
    await items.close();
  });
  return {
    items,
    log,
    put: (key: string) => put(items, key),
    /** The keys of what there is from a cursor on, and the next cursor; `too old` if it is refused. */
    async read(since?: string, isStored = false) {
      const reader = { project: 'demo', grant: unlimitedGrant('k', 'demo'), isOver: () => false, isStored };
      const keys: string[] = [];
      try {
        for await (const { changes, position, isLive } of feed.follow(reader, everything, since)) {
          keys.push(...changes.map((change) => (JSON.parse(change) as { key: string }).key));
          if (isLive) return { keys, cursor: cursorOf(position) };
        }
      } catch (cause) {
        if (cause instanceof RequestError && cause.status === 410) return { keys, cursor: 'too old' };
        throw cause;
      }
      throw new Error('the feed ended');
    },
    /** The same, also while the database is away. */
    async readWhenUp(since: string) {
      for (;;) {
        try {
          return await this.read(since);
        } catch (cause) {
          if (!(cause instanceof StorageUnavailable)) throw cause;
          await wait(20);
        }
      }
    },
  };
}

async function put(items: ItemStore, key: string): Promise<void> {
  const value = Buffer.from(JSON.stringify({ key }));
  await items.transact('base/demo/users', [], () => ({ puts: [{ key, value }], result: undefined }));
}

async function restore(from: string, to: string): Promise<void> {
  const { stdout } = await run(join(bin, 'pg_dump'), [`--dbname=${from}`]);
  const restoring = run(join(bin, 'psql'), ['-qX', '-v', 'ON_ERROR_STOP=1', `--dbname=${to}`]);
  restoring.child.stdin?.end(stdout);
  await restoring;
}

const tooOld = { keys: [], cursor: 'too old' };

test('a database that was restored from a dump has another feed, whose stored cursors are too old, too', async (context) => {
  const { name, url } = await freshDatabase(postgres);
  const original = await startServer(context, url);
  await original.put('before');
  const stored = await original.read();
  const restored = await postgres.createDatabase(`${name}_restored`);
  await restore(url, restored);
  await original.put('after');
  const later = await original.read();

  const copies = [await startServer(context, restored), await startServer(context, restored)];
  for (const copy of copies) {
    assert.deepEqual(await copy.read(later.cursor), tooOld);
    assert.deepEqual(await copy.read(stored.cursor, true), tooOld);
    const { cursor } = await copy.read();
    await copy.put('new');
    for (const server of copies) assert.deepEqual((await server.read(cursor)).keys, ['new']);
  }
  const again = await startServer(context, url);
  assert.deepEqual((await again.read(stored.cursor)).keys, ['after']);
  assert.deepEqual((await again.read(later.cursor)).keys, []);
});

test('a dump that is restored to a younger cluster leaves no row in the way of the next ones, nor says that they were dropped', async (context) => {
  const { url } = await freshDatabase(postgres);
  const original = await startServer(context, url);
  for (let n = 0; n < 600; n++) await original.put(`k${n}`);
  let now = Date.now();
  const dropOld = createDropOld({
    ...{ items: original.items, clock: () => now, log: console },
    ...{ keepMs: 3_600_000, mayWork: () => true },
  });
  now += 7_200_000;
  await dropOld();
  for (let n = 0; n < 600; n++) await original.put(`later${n}`);
  const younger = await startPostgres({ hasOwnIdentifier: true });
  context.after(() => younger.stop());
  const restored = await younger.createDatabase('restored');
  await restore(url, restored);
  const copy = await startServer(context, restored);
  const { cursor } = await copy.read();
  // All numbers up to those that the dump had.
  for (let n = 0; n < 700; n++) await copy.put(`new${n}`);
  const read = await (await startServer(context, restored)).read(cursor);
  assert.equal(read.keys.length, 700);
  assert.ok(read.keys.every((key) => key.startsWith('new')));
});

async function startPair(context: TestContext) {
  const primary = await startPostgres();
  context.after(() => primary.stop());
  await migrateSchema(await primary.createDatabase('rows'));
  const standby = await startStandby(primary);
  context.after(() => standby.stop());
  const hosts = [primary.port, standby.port].map((port) => `127.0.0.1:${port}`).join();
  return { primary, standby, items: `postgres://postgres@${hosts}/rows?target_session_attrs=read-write` };
}

test('a copy of a cluster that takes writes has another feed, while the original goes on', async (context) => {
  const { primary, standby } = await startPair(context);
  const urlOf = ({ port }: TestPostgres) => `postgres://postgres@127.0.0.1:${port}/rows`;
  const original = await startServer(context, urlOf(primary));
  await original.put('before');
  const stored = await original.read();
  await primary.ask('ALTER SYSTEM RESET synchronous_standby_names');
  await primary.ask('SELECT pg_reload_conf()');
  await standby.ask('SELECT pg_promote()');
  await original.put('after');
  const later = await original.read(stored.cursor);
  assert.deepEqual(later.keys, ['after']);
  const copy = await startServer(context, urlOf(standby));
  for (const { cursor } of [stored, later]) assert.deepEqual(await copy.read(cursor), tooOld);
  assert.deepEqual(await copy.read(stored.cursor, true), tooOld);
});

test('when a standby takes over that has everything, the feed goes on, also on servers that start later', async (context) => {
  const { primary, standby, items } = await startPair(context);
  const servers = [await startServer(context, items), await startServer(context, items)];
  const [first, second] = servers as [(typeof servers)[0], (typeof servers)[0]];
  await first.put('before');
  const cursors = [(await first.read()).cursor, (await second.read()).cursor];
  const followed = await sharedLog(first.items);
  const [epoch, next] = [await followed.epoch(), await followed.complete()];
  await primary.shutDown();
  await standby.ask('SELECT pg_promote()');
  await first.readWhenUp(cursors[0] ?? '');
  await second.readWhenUp(cursors[1] ?? '');
  await second.put('after');
  servers.push(await startServer(context, items));
  for (const server of servers) {
    for (const cursor of cursors) assert.deepEqual((await server.read(cursor)).keys, ['after']);
  }
  assert.equal(await followed.hasGiven({ epoch, next }), true);
});

test('when a standby takes over that lacks the last changes, every server refuses the cursors before it, and all have one feed', async (context) => {
  const { primary, standby, items } = await startPair(context);
  const servers = [await startServer(context, items), await startServer(context, items)];
  const [first, second] = servers as [(typeof servers)[0], (typeof servers)[0]];
  await first.put('before');
  await primary.ask('ALTER SYSTEM RESET synchronous_standby_names');
  await primary.ask('SELECT pg_reload_conf()');
  await standby.shutDown();
  for (let n = 0; n < 20; n++) await first.put(`lost${n}`);
  const lost = [(await first.read()).cursor, (await second.read()).cursor];
  const followed = await sharedLog(first.items);
  const [epoch, next] = [await followed.epoch(), await followed.complete()];
  await primary.kill();
  await standby.restart();
  await standby.ask('SELECT pg_promote()');
  // As many numbers as were lost, before anybody looks.
  for (let n = 0; n < 40; n++) await standby.ask('SELECT pg_current_xact_id()', 'rows');
  assert.deepEqual(await second.readWhenUp(lost[1] ?? ''), tooOld);
  servers.push(await startServer(context, items));
  for (const server of servers)
    for (const cursor of lost) assert.deepEqual(await server.readWhenUp(cursor), tooOld);
  assert.equal(await followed.hasGiven({ epoch, next }), false);
  assert.equal(new Set(servers.map(({ log }) => log.epoch)).size, 1);
  const { cursor } = await first.read();
  await second.put('after');
  for (const server of servers) assert.deepEqual((await server.read(cursor)).keys, ['after']);
});

test('when a server is lost together with the primary, cursors that it alone had given are refused', async (context) => {
  const { primary, standby, items } = await startPair(context);
  const stays = await startServer(context, items);
  await stays.put('before');
  const lostServer = await startServer(context, `postgres://postgres@127.0.0.1:${primary.port}/rows`);
  await primary.ask('ALTER SYSTEM RESET synchronous_standby_names');
  await primary.ask('SELECT pg_reload_conf()');
  await standby.shutDown();
  for (let n = 0; n < 20; n++) await lostServer.put(`lost${n}`);
  const late = await lostServer.read();
  await primary.kill();
  await standby.restart();
  await standby.ask('SELECT pg_promote()');
  for (let n = 0; n < 40; n++) await standby.ask('SELECT pg_current_xact_id()', 'rows');
  assert.deepEqual(await stays.readWhenUp(late.cursor), tooOld);
});
