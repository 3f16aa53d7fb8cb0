import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { test } from 'node:test';
import { readSettings } from '../../src/config/read-settings.js';
import type { ItemStore } from '../../src/engines/item-store.js';
import { openMemoryBlobStore } from '../../src/engines/memory/blob-store.js';
import { createKeyRing } from '../../src/keys/key-ring.js';
import { openProjectRegistry } from '../../src/projects/project-registry.js';
import { createApp } from '../../src/server/app.js';
import { servedApp } from './served-app.js';

const log = { info() {}, error() {} };
/** More than a few batches of any operation. */
const itemCount = 1600;
const fileCount = 900;
const keySeconds = 60;
/** Larger than what is stored in a row, so that a copy has more steps than one. */
const largeFileBytes = 100_000;
const patienceMs = 10_000;

/** Opens an empty store, and closes it after the work. */
export type WithStore = (work: (items: ItemStore) => Promise<void>) => Promise<void>;

/** Requests whose key is deleted, or expires, in the middle of their work: they end, and what they have done stays. */
export function testEndedKeys(withStore: WithStore): void {
  for (const ending of ['is deleted', 'expires'] as const) {
    const run = (work: (service: Service) => Promise<void>) => () =>
      withStore(async (items) => {
        const service = await serve(items, ending);
        try {
          await work(service);
        } finally {
          await service.stop();
        }
      });

    test(
      `Delete All Items ends when its key ${ending}`,
      run(async ({ endsEarly, putItems, countItems }) => {
        await putItems();
        await endsEarly('DELETE', 'base/items?all=true');
        isSome(await countItems({}), itemCount);
      }),
    );

    test(
      `Delete By Query ends when its key ${ending}`,
      run(async ({ endsEarly, putItems, countItems }) => {
        await putItems();
        await endsEarly('POST', 'base/query/delete', { all: true });
        isSome(await countItems({}), itemCount);
      }),
    );

    test(
      `Aggregate ends when its key ${ending}`,
      run(async ({ endsEarly, putItems }) => {
        await putItems();
        await endsEarly('POST', 'base/query/aggregate', { aggregates: { n: { max: 'key' } } }, 'read');
      }),
    );

    test(
      `Update By Query ends when its key ${ending}`,
      run(async ({ endsEarly, putItems, countItems }) => {
        await putItems();
        await endsEarly('POST', 'base/query/update', { all: true, set: { seen: true } });
        isSome(await countItems({ seen: true }), itemCount);
      }),
    );

    test(
      `Delete All Files ends when its key ${ending}`,
      run(async ({ endsEarly, putFile, copyFiles, countFiles }) => {
        await putFile('f0', 1);
        await copyFiles(Array.from({ length: fileCount - 1 }, (_, n) => ({ from: 'f0', to: `f${n + 1}` })));
        await endsEarly('DELETE', 'drive/files?all=true');
        isSome(await countFiles(), fileCount);
      }),
    );

    test(
      `Copy Files ends when its key ${ending}, and copies nothing`,
      run(async ({ endsEarly, putFile, countFiles }) => {
        const names = Array.from({ length: 20 }, (_, n) => `f${n}`);
        for (const name of names) await putFile(name, largeFileBytes);
        const files = names.map((from) => ({ from, to: `copy of ${from}` }));
        await endsEarly('POST', 'drive/files/copy', { files });
        assert.equal(await countFiles(), names.length);
      }),
    );

    for (const [what, length] of [
      ['a streamed', {}],
      ['a short', { 'Content-Length': '2' }],
    ] as const) {
      test(
        `${what} body that ends after its key ${ending} is not stored`,
        run(async ({ startUpload, countFiles, end }) => {
          const upload = startUpload('f', length);
          await upload.begun;
          await end();
          assert.equal(await upload.finish(), 401);
          assert.equal(await countFiles(), 0);
        }),
      );
    }
  }
}

function isSome(count: number, all: number): void {
  assert.ok(count > 0 && count < all, `${count} of ${all}`);
}

type Service = Awaited<ReturnType<typeof serve>>;

async function serve(items: ItemStore, ending: 'is deleted' | 'expires') {
  let aheadMs = 0;
  const clock = () => Date.now() + aheadMs;
  const keys = await createKeyRing(items, [], clock);
  const owner = (await keys.create('demo')).key;
  const short = await keys.create('demo', { access: 'full', expiresInSeconds: keySeconds });
  const end = async (): Promise<void> => {
    if (ending === 'is deleted') await keys.revoke(short.id);
    else aheadMs = 2 * keySeconds * 1000;
  };
  const { watched, onNext } = watchedStore(items);
  const settings = { ...readSettings({}, {}), uploadTtlMs: 3_600_000 };
  const blobs = openMemoryBlobStore();
  const projects = await openProjectRegistry(items);
  const app = createApp({ items: watched, blobs, keys, projects, settings, clock, log });
  const served = await servedApp(app);
  const root = `${served.origin}/v1/demo`;

  async function call(key: string, method: string, path: string, body?: unknown): Promise<Response> {
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
    const text = body === undefined ? null : JSON.stringify(body);
    return await fetch(`${root}/${path}`, { method, headers, body: text });
  }

  async function asOwner<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await call(owner, method, path, body);
    assert.ok(answer.ok, `${method} ${path}: ${answer.status}`);
    return (await answer.json()) as T;
  }

  return {
    end,

    async putItems() {
      const lines = Array.from({ length: itemCount }, (_, n) => JSON.stringify({ key: `k${n}` })).join('\n');
      const headers = { 'X-API-Key': owner, 'Content-Type': 'application/x-ndjson' };
      const stored = await fetch(`${root}/base/items`, { method: 'PUT', headers, body: lines });
      assert.match(await stored.text(), new RegExp(`"stored":${itemCount}`));
    },

    countItems: async (query: object) =>
      (await asOwner<{ count: number }>('POST', 'base/query/count', { query })).count,

    async putFile(name: string, bytes: number) {
      const headers = { 'X-API-Key': owner };
      const body = Buffer.alloc(bytes, 'x');
      const put = await fetch(`${root}/drive/files?name=${name}`, { method: 'POST', headers, body });
      assert.equal(put.status, 201, await put.text());
    },

    copyFiles: (files: readonly object[]) => asOwner('POST', 'drive/files/copy', { files }),

    countFiles: async () =>
      (await asOwner<{ names: string[] }>('GET', 'drive/files?limit=1000')).names.length,

    /** The key ends with the first write of the request, or after the first rows that it reads. */
    async endsEarly(method: string, path: string, body?: unknown, moment: Moment = 'write') {
      onNext(moment, end);
      const answer = await call(short.key, method, path, body);
      const text = await answer.text();
      assert.equal(answer.status, 401, text);
      assert.deepEqual(JSON.parse(text).errors, ['Unauthorized']);
    },

    /** An upload of two bytes, the second of which is sent by `finish`. That gives the status. */
    startUpload(name: string, length: Readonly<Record<string, string>>) {
      const headers = { 'X-API-Key': short.key, Expect: '100-continue', ...length };
      return uploadInTwo(`${root}/drive/files?name=${name}`, headers);
    },

    async stop() {
      await served.close();
    },
  };
}

type Moment = 'read' | 'write';

/** The store; after the next write, or the next rows that are read, it does what `onNext` was given. */
function watchedStore(items: ItemStore) {
  const next: { [moment in Moment]?: (() => Promise<void>) | undefined } = {};
  const reach = async (moment: Moment): Promise<void> => {
    const act = next[moment];
    next[moment] = undefined;
    await act?.();
  };
  const watched: ItemStore = {
    ...items,
    async transact(space, ...change) {
      const result = await items.transact(space, ...change);
      await reach('write');
      return result;
    },
    async *scanText(space, range) {
      for await (const rows of items.scanText(space, range)) {
        await reach('read');
        yield rows;
      }
    },
  };
  const onNext = (moment: Moment, act: () => Promise<void>): void => {
    next[moment] = act;
  };
  return { watched, onNext };
}

function uploadInTwo(address: string, headers: Readonly<Record<string, string>>) {
  const upload = request(address, { method: 'POST', headers, agent: false });
  const signal = AbortSignal.timeout(patienceMs);
  const begun = once(upload, 'continue', { signal });
  const answered = once(upload, 'response', { signal });
  upload.write('a');
  return {
    /** The server reads the body. */
    begun,
    async finish() {
      upload.end('b');
      const [answer] = (await answered) as [IncomingMessage];
      upload.destroy();
      return answer.statusCode;
    },
  };
}
