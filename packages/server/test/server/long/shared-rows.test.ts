import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { readSettings } from '../../../src/config/read-settings.js';
import type { BlobStore } from '../../../src/engines/blob-store.js';
import type { ItemStore } from '../../../src/engines/item-store.js';
import { openLevelStore } from '../../../src/engines/level/store.js';
import { openMemoryBlobStore } from '../../../src/engines/memory/blob-store.js';
import { createKeyRing, type KeyRing } from '../../../src/keys/key-ring.js';
import { openProjectRegistry } from '../../../src/projects/project-registry.js';
import { type App, createApp } from '../../../src/server/app.js';
import { refresh } from '../../../src/server/refresh.js';
import { maintenanceSpace } from '../../../src/spaces.js';
import { servedApp } from '../../support/served-app.js';

const log = { info() {}, error() {} };
const largeBytes = 300_000;

interface RunningServer {
  readonly app: App;
  readonly keys: KeyRing;
  call(method: string, path: string, apiKey: string, body?: string | Buffer): Promise<Response>;
  stop(): Promise<void>;
}

describe('two servers over the same rows and bytes', () => {
  let items: ItemStore;
  let blobs: BlobStore;
  let servers: RunningServer[];
  let key: string;

  beforeEach(async () => {
    items = { ...(await openLevelStore({ memory: true })), isShared: true };
    blobs = openMemoryBlobStore();
    servers = [await start(), await start()];
    key = (await servers[0]!.keys.create('demo')).key;
    await servers[1]!.keys.reload();
  });
  afterEach(async () => {
    for (const server of servers) await server.stop();
    await items.close();
  });

  async function start(): Promise<RunningServer> {
    const keys = await createKeyRing(items, [], Date.now);
    const settings = { ...readSettings({}, {}), uploadTtlMs: 3_600_000 };
    const projects = await openProjectRegistry(items);
    const parts = { items, blobs, keys, projects, settings, clock: Date.now, log };
    const app = createApp(parts);
    const served = await servedApp(app);
    const endFollowing = refresh('keys', keys, log);
    return {
      app,
      keys,
      call: (method, path, apiKey, body) =>
        fetch(`${served.origin}/v1/demo/${path}`, {
          method,
          headers: { 'X-API-Key': apiKey, 'Content-Type': 'application/json' },
          body: body ?? null,
        }),
      async stop() {
        await endFollowing();
        await served.close();
      },
    };
  }

  /** Until it answers so; gives how long that took. */
  async function until(server: RunningServer, apiKey: string, status: number): Promise<number> {
    const began = performance.now();
    for (;;) {
      const answer = await server.call('GET', 'base/items/none', apiKey);
      await answer.arrayBuffer();
      if (answer.status === status) return performance.now() - began;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  test('a key created on one is accepted by the other, and stops on both when it is revoked', async () => {
    const [here, there] = servers as [RunningServer, RunningServer];
    const made = await here.keys.create('demo');
    await until(there, made.key, 404);
    await there.keys.revoke(made.id);
    assert.equal((await there.call('GET', 'base/items/none', made.key)).status, 401);
    await until(here, made.key, 401);
  });

  test('an upload can be begun on one, sent to both and ended on the other', async () => {
    const [here, there] = servers as [RunningServer, RunningServer];
    const begun = await here.call('POST', 'drive/uploads?name=a', key);
    const { upload_id: id } = (await begun.json()) as { upload_id: string };
    const parts = [Buffer.alloc(5 * 1024 * 1024, 'a'), Buffer.alloc(largeBytes, 'b')];
    for (const [n, server] of [there, here].entries()) {
      const sent = await server.call('POST', `drive/uploads/${id}/parts?name=a&part=${n + 1}`, key, parts[n]);
      assert.equal(sent.status, 200, await sent.text());
    }
    assert.equal((await there.call('PATCH', `drive/uploads/${id}?name=a`, key)).status, 200);
    assert.equal((await here.call('PATCH', `drive/uploads/${id}?name=a`, key)).status, 404);
    const read = await here.call('GET', 'drive/files/download?name=a', key);
    assert.ok(Buffer.from(await read.arrayBuffer()).equals(Buffer.concat(parts)));
  });

  test('updates of one item through both are all counted', async () => {
    await servers[0]!.call('PUT', 'base/items', key, '{"items":[{"key":"n","count":0}]}');
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        servers[n % 2]!.call('PATCH', 'base/items/n', key, '{"increment":{"count":1}}'),
      ),
    );
    assert.ok(answers.every((answer) => answer.status === 200));
    const item = await servers[1]!.call('GET', 'base/items/n', key);
    assert.deepEqual(await item.json(), { key: 'n', count: 100 });
  });

  test('a download goes on while the file is overwritten through the other server, whose maintenance runs', async () => {
    const [here, there] = servers as [RunningServer, RunningServer];
    const before = Buffer.alloc(20 * largeBytes, 'a');
    assert.equal((await here.call('POST', 'drive/files?name=a', key, before)).status, 201);
    there.app.startMaintenance();
    const download = await here.call('GET', 'drive/files/download?name=a', key);
    assert.equal((await there.call('POST', 'drive/files?name=a', key, 'new')).status, 201);
    // Its row is due and swept though another server wakes nobody: an item says when a round has gone by.
    const expires = Math.floor(Date.now() / 1000) + 1;
    await there.call('PUT', 'base/items', key, `{"items":[{"key":"x","__expires":${expires}}]}`);
    while ((await items.get('base/demo/base', 'x')) !== undefined) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.ok(Buffer.from(await download.arrayBuffer()).equals(before));
  });

  test('one of them has the leader lease, and releases it when it stops', async () => {
    for (const { app } of servers) app.startMaintenance();
    const holder = async () => (await items.get(maintenanceSpace, 'lease'))?.toString();
    while ((await holder()) === undefined) await new Promise((resolve) => setImmediate(resolve));
    for (const server of servers) await server.stop();
    servers = [];
    assert.equal(await holder(), undefined);
  });
});

test('a server with rows of its own writes no leader lease', async () => {
  const own = await openLevelStore({ memory: true });
  let writes = 0;
  const items: ItemStore = {
    ...own,
    transact: (space, keys, decide) => {
      writes++;
      return own.transact(space, keys, decide);
    },
  };
  const settings = { ...readSettings({}, {}), uploadTtlMs: 3_600_000 };
  const keys = await createKeyRing(items, [], Date.now);
  const projects = await openProjectRegistry(items);
  const parts = { items, blobs: openMemoryBlobStore(), keys, projects, settings };
  const app = createApp({ ...parts, clock: Date.now, log });
  app.startMaintenance();
  await new Promise((resolve) => setImmediate(resolve));
  await app.close();
  await own.close();
  assert.equal(writes, 0);
});
