import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { type FetchError, type Message, type Row, Shape, ShapeStream } from '@electric-sql/client';
import { createCollection } from '@tanstack/db';
import { electricCollectionOptions } from '@tanstack/electric-db-collection';
import { Basedrive } from '../../../src/in-node.js';
import { freshName, key, launch } from '../../support/service.js';
import { releaseLongTimers } from '../../support/short-timers.js';
import { switchingProxy } from '../../support/switching-proxy.js';

/** Unmodified clients of Electric, with servers that are killed, restarted and replaced. */

releaseLongTimers();
const backoffOptions = { initialDelay: 20, maxDelay: 200, multiplier: 2 };

/** A server behind one address, with its data in a folder. */
async function openService(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-electric-'));
  const proxy = await switchingProxy();
  let server = await launch(['--data', folder]);
  proxy.target = server.url;
  t.after(async () => {
    proxy.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    url: proxy.url,
    base: (name: string) =>
      Basedrive(key, { url: proxy.url, retry: { patienceMs: 60_000, maxDelayMs: 100 } }).Base(name),
    /** Kills the server, or stops it, and starts another one. */
    async restart(end: 'kill' | 'stop') {
      await server[end]();
      server = await launch(['--data', folder]);
      proxy.target = server.url;
    },
    /** Changes something with a server that keeps no changes, which nobody else reaches. */
    async withoutFeed(change: (url: string) => Promise<unknown>) {
      proxy.target = undefined;
      await server.stop();
      server = await launch(['--data', folder, '--keep-changes', '0s']);
      await change(server.url);
    },
  };
}

/** What follows a base through the address of the service. */
function shapeOptions(t: TestContext, url: string, table: string, headers = { 'X-API-Key': key }) {
  const controller = new AbortController();
  t.after(() => controller.abort());
  const { signal } = controller;
  return { url: `${url}/v1/demo/shape`, params: { table }, headers, signal, backoffOptions };
}

/** Resolves when the rows are these, in any order. */
function rowsBecome(shape: Shape, wanted: readonly Row[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = (rows: readonly Row[]) => {
      if (shape.error) reject(shape.error);
      const byKey = (all: readonly Row[]) => new Map(all.map((row) => [row.key, row]));
      if (!isDeepStrictEqual(byKey(rows), byKey(wanted))) return;
      unsubscribe();
      resolve();
    };
    const unsubscribe = shape.subscribe(({ rows }) => look(rows));
    if (shape.isUpToDate) look(shape.currentRows);
  });
}

test('a shape has what the base has, through changes, kills and the end of what is kept', async (t) => {
  const service = await openService(t);
  const name = freshName();
  const base = service.base(name);
  const odd = { key: 'ä/🙂', value: { value: [1] }, none: null, n: 0.5, yes: true };
  await base.putMany([odd, { key: 'b', n: 1, gone: 'soon' }]);
  const stream = new ShapeStream(shapeOptions(t, service.url, name));
  const shape = new Shape<Row>(stream);
  await rowsBecome(shape, [odd, { key: 'b', n: 1, gone: 'soon' }]);

  await base.put({ n: 2 }, 'b');
  await base.put({ n: 3 }, 'c');
  await rowsBecome(shape, [odd, { key: 'b', n: 2 }, { key: 'c', n: 3 }]);
  for (let n = 10; n < 13; n++) {
    await service.restart('kill');
    await base.put({ n }, 'c');
    await rowsBecome(shape, [odd, { key: 'b', n: 2 }, { key: 'c', n }]);
  }

  let refetched = 0;
  stream.subscribe((messages) => {
    for (const { headers } of messages) if (headers.control === 'must-refetch') refetched++;
  });
  await service.withoutFeed((url) => Basedrive(key, { url }).Base(name).delete('b'));
  await service.restart('stop');
  await rowsBecome(shape, [odd, { key: 'c', n: 12 }]);
  assert.equal(refetched, 1);
});

test('a snapshot of many pages, which changes meanwhile', async (t) => {
  const service = await openService(t);
  const name = freshName();
  const base = service.base(name);
  const items = Array.from({ length: 4500 }, (_, n) => ({ key: `k${n}`, n, text: 'x'.repeat(400) }));
  assert.equal((await base.importItems(items)).stored, 4500);
  const shape = new Shape(new ShapeStream(shapeOptions(t, service.url, name)));
  const changed = await base.updateWhere({ n: -1 }, { 'n?lt': 50 });
  assert.equal(changed.updated, 50);
  await rowsBecome(
    shape,
    items.map((item) => (item.n < 50 ? { ...item, n: -1 } : item)),
  );
});

test('a limited key sees its part; what cannot be had is refused', async (t) => {
  const service = await openService(t);
  const name = freshName();
  const base = service.base(name);
  await base.putMany([
    { key: 'mine/a', n: 1 },
    { key: 'other/b', n: 2 },
  ]);
  const { keys } = Basedrive(key, { url: service.url });
  const made = await keys.create({ access: 'read', bases: [name], prefix: 'mine/' });
  const headers = { 'X-API-Key': made.key };
  const shape = new Shape(new ShapeStream(shapeOptions(t, service.url, name, headers)));
  await rowsBecome(shape, [{ key: 'mine/a', n: 1 }]);

  const refusal = (table: string, params = {}) =>
    new Promise<FetchError>((resolve) => {
      const options = shapeOptions(t, service.url, table, headers);
      new ShapeStream({
        ...options,
        params: { ...options.params, ...params },
        onError: (error) => resolve(error as FetchError),
      }).subscribe(() => {});
    });
  assert.equal((await refusal('another')).status, 403);
  const where = await refusal(name, { where: 'n > 1' });
  assert.equal(where.status, 400);
  assert.match(JSON.stringify(where.json), /where: /);
});

test('a collection of TanStack DB has what the base has, writes to it, and goes on after a kill', async (t) => {
  interface Task extends Row {
    key: string;
    text: string;
  }
  const service = await openService(t);
  const name = freshName();
  const base = service.base(name);
  await base.put({ text: 'paint', by: 'ada' }, 'one');
  const tasks = createCollection(
    electricCollectionOptions<Task>({
      id: name,
      getKey: (task) => task.key,
      shapeOptions: shapeOptions(t, service.url, name),
      onInsert: async ({ transaction, collection }) => {
        for (const { modified } of transaction.mutations) await base.put(modified, modified.key);
        const { key } = transaction.mutations[0].modified;
        const isIt = ({ headers, ...message }: Message<Task>) =>
          headers.operation === 'insert' && 'key' in message && message.key === key;
        await collection.utils.awaitMatch(isIt, 60_000);
      },
    }),
  );
  t.after(() => tasks.cleanup());
  const become = (wanted: Record<string, string>) =>
    new Promise<void>((resolve) => {
      const look = () => {
        const texts = Object.fromEntries(tasks.toArray.map((task) => [task.key, task.text]));
        if (!isDeepStrictEqual(texts, wanted)) return;
        subscription.unsubscribe();
        resolve();
      };
      const subscription = tasks.subscribeChanges(look);
      look();
    });
  await tasks.preload();
  await become({ one: 'paint' });
  await base.put({ text: 'paint the door' }, 'one');
  await become({ one: 'paint the door' });
  assert.equal(tasks.get('one')?.by, undefined, 'what an item no longer has is gone');

  await tasks.insert({ key: 'two', text: 'dry' }).isPersisted.promise;
  assert.deepEqual(await base.get('two'), { key: 'two', text: 'dry' });
  await service.restart('kill');
  await base.delete('one');
  await base.put({ text: 'hang' }, 'three');
  await become({ two: 'dry', three: 'hang' });
});

test('awaitTxId of a collection resolves with the transaction of a write, also of one that its snapshot has', async (t) => {
  interface Task extends Row {
    key: string;
    text: string;
  }
  const service = await openService(t);
  const name = freshName();
  const base = service.base(name);
  /** Does a write, and gives the number of its transaction. */
  const txOf = async (write: (options: { onTx(tx: string): void }) => Promise<unknown>): Promise<number> => {
    let written: string | undefined;
    await write({ onTx: (tx) => (written = tx) });
    assert.ok(written);
    return Number(written);
  };
  const before = await txOf((options) => base.put({ text: 'paint' }, 'one', options));
  const tasks = createCollection(
    electricCollectionOptions<Task>({
      id: name,
      getKey: (task) => task.key,
      shapeOptions: shapeOptions(t, service.url, name),
      onInsert: async ({ transaction }) => {
        const [{ modified }] = transaction.mutations;
        return { txid: await txOf((options) => base.put(modified, modified.key, options)), timeout: 60_000 };
      },
      onDelete: async ({ transaction }) => {
        const [{ key }] = transaction.mutations;
        return { txid: await txOf((options) => base.delete(key, options)), timeout: 60_000 };
      },
    }),
  );
  t.after(() => tasks.cleanup());
  await tasks.preload();
  assert.equal(await tasks.utils.awaitTxId(before, 60_000), true);
  await tasks.insert({ key: 'two', text: 'dry' }).isPersisted.promise;
  // What it shows now is what came, and no longer what was done before it was stored.
  assert.deepEqual(tasks.get('two')?.text, 'dry');
  await tasks.delete('one').isPersisted.promise;
  assert.equal(tasks.has('one'), false);

  await service.restart('kill');
  const other = await txOf((options) =>
    base.putMany([{ key: 'two', text: 'hang' }, { key: 'three' }], options),
  );
  assert.equal(await tasks.utils.awaitTxId(other, 60_000), true);
  assert.deepEqual([tasks.get('two')?.text, tasks.has('three')], ['hang', true]);
  // Nobody is told of a transaction that has not come.
  await assert.rejects(tasks.utils.awaitTxId(other + 1, 1), /imeout/);
});
