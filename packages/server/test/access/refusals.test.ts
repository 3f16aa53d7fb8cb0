import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Grant, type Limits, limitedGrant } from '../../src/access/grant.js';
import { noDeletions } from '../../src/access/project-gate.js';
import { rightOf } from '../../src/access/rights.js';
import { createBaseService } from '../../src/base/service.js';
import { createCatalogService } from '../../src/catalog/service.js';
import { createDriveService } from '../../src/drive/service.js';
import type { BlobStore } from '../../src/engines/blob-store.js';
import type { ItemStore } from '../../src/engines/item-store.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import { openMemoryBlobStore } from '../../src/engines/memory/blob-store.js';
import { createFeedService, type FeedService } from '../../src/feed/service.js';
import { reachableAddresses } from '../../src/hooks/reachable.js';
import { createSend } from '../../src/hooks/send.js';
import { createHooks } from '../../src/hooks/service.js';
import { createStoredHooks } from '../../src/hooks/stored-hooks.js';
import { createReadiness } from '../../src/http/health/readiness.js';
import { takesLines } from '../../src/http/routing/operation.js';
import type { ListedOperation } from '../../src/http/routing/operation-groups.js';
import { createRouter } from '../../src/http/routing/router.js';
import { createKeyLists } from '../../src/keys/key-lists.js';
import { createKeyRing, type KeyRing } from '../../src/keys/key-ring.js';
import { createFairSemaphores, createSemaphores } from '../../src/lib/concurrency/semaphore.js';
import { createOpenApi } from '../../src/openapi/service.js';
import { openProjectRegistry } from '../../src/projects/project-registry.js';
import { createProjectService } from '../../src/projects/service.js';
import { noLedgers } from '../../src/quotas/ledgers.js';
import { createActivity } from '../../src/server/activity/activity.js';
import { operations as all } from '../../src/server/operations.js';
import { createListedLinks } from '../../src/sharing/listed-links.js';
import { createPublicPrefixStore } from '../../src/sharing/public-prefixes.js';
import { type Listening, listening, ways } from '../support/listening.js';

// What exists cannot change the answer or its time, because a refused request touches no store.

/** Bodies that name the item or file `k`, for the operations whose names are in the body. */
const bodies: Readonly<Record<string, object>> = {
  putItems: { items: [{ key: 'k' }] },
  insertItem: { item: { key: 'k' } },
  runTransaction: { operations: [{ update: { key: 'k', set: { a: 1 } } }] },
  deleteFiles: { names: ['k'] },
  moveFiles: { files: [{ from: 'k', to: 'x/k' }] },
  restoreFiles: { files: [{ id: '0'.repeat(44), name: 'k' }] },
  createLinks: { names: ['k'], method: 'GET', expires_in: 60 },
  copyFiles: { files: [{ from: 'x/k', to: 'k' }] },
};

/** An import refuses lines, not the request. No key of a project is for the operator's operations. */
const operations = all.filter(
  ({ access, request }) => !['no key', 'operator'].includes(access) && !takesLines(request),
);

function hooksOver(items: ItemStore, feed: FeedService, keys: KeyRing) {
  const mayReach = reachableAddresses([]);
  const reading = { items, feed, keys, clock: Date.now, stored: createStoredHooks(items), log: console };
  const places = { sending: createSemaphores(1), sendingLarge: createFairSemaphores(() => 1) };
  return createHooks({ ...reading, ...places, mayReach, send: createSend({ mayReach }), mayWork: () => true })
    .service;
}

for (const way of ways) {
  describe(`a refused request, read by ${way}`, () => {
    let server: Listening;
    let grant: Grant;
    let touched = 0;

    before(async () => {
      const items = counted<ItemStore>(await openLevelStore({ memory: true }));
      const blobs = counted<BlobStore>(openMemoryBlobStore());
      const drives = createDriveService({
        items,
        blobs,
        clock: Date.now,
        settings: { uploadTtlSeconds: 1 },
        wakeMaintenance() {},
      });
      const keys = await createKeyRing(items, [], Date.now);
      const feed = createFeedService(items, undefined, Date.now);
      const catalog = createCatalogService(items, Date.now);
      const bases = createBaseService(items, Date.now);
      const registry = await openProjectRegistry(items);
      const projects = createProjectService({
        items,
        blobs,
        keys,
        catalog,
        bases,
        ledgers: noLedgers,
        registry,
        clock: Date.now,
        onError() {},
      });
      const router = createRouter(all, {
        bases: createBaseService(items, Date.now),
        maxItemsPerPut: 25,
        drives,
        prefixes: createPublicPrefixStore(items),
        listedLinks: createListedLinks(items, Date.now),
        gate: { admit: () => noDeletions },
        maxLinkSeconds: 60,
        publicUrl: undefined,
        isSecure: false,
        clock: Date.now,
        catalog,
        activity: createActivity({ catalog, clock: Date.now }),
        feed,
        hooks: hooksOver(items, feed, keys),
        keys,
        keyLists: createKeyLists(keys),
        projects,
        readiness: createReadiness(items, blobs),
        openApi: createOpenApi([]),
      });
      server = await listening(router, way, () => grant);
    });
    after(() => server.close());

    function counted<T extends object>(store: T): T {
      return new Proxy(store, {
        get(target, member) {
          touched++;
          return Reflect.get(target, member);
        },
      });
    }

    /** Sends a request to an operation; gives the status and what the stores were asked for. */
    async function send(
      operation: ListedOperation<never>,
      limits: Limits,
      headers: Record<string, string> = {},
    ) {
      const { id, method } = operation;
      grant = limitedGrant('id', 'demo', limits);
      touched = 0;
      const path = operation.path
        .replace('{project}', 'demo')
        .replace(/\{(base|drive|name)\}/, 'b')
        .replace('{key}', 'k')
        .replace('{hook}', 'f'.repeat(32))
        .replace('{upload_id}', 'f'.repeat(32));
      const body = bodies[id];
      const answer = await fetch(
        `http://127.0.0.1:${server.port}${path}${path.includes('?') ? '&' : '?'}name=k&part=1`,
        {
          method,
          headers: { 'X-API-Key': 'demo_x', 'Content-Type': 'application/json', ...headers },
          ...(body && { body: JSON.stringify(body) }),
        },
      );
      const { errors } = (await answer.json()) as { errors: string[] };
      return { status: answer.status, errors, touched };
    }

    for (const operation of operations) {
      const { rank, target, names } = rightOf(operation);
      const refusals: [why: string, limits: Limits, status: number, message: RegExp][] = [];
      if (rank !== 1) refusals.push(['access', { access: 'read' }, 403, /^Forbidden: /]);
      if (target !== 'project') {
        const elsewhere: Limits = { access: 'full', bases: ['other'], drives: ['other'] };
        refusals.push(['scope', elsewhere, 403, /^Forbidden: the .* is beyond the scope of the key$/]);
      }
      if (names !== 'narrowed') {
        refusals.push(['prefix', { access: 'full', prefix: 'x/' }, 403, /^Forbidden: /]);
      }
      for (const [why, limits, status, message] of refusals) {
        test(`${operation.id}, refused for its ${why}, touches no store`, async () => {
          const answer = await send(operation, limits);
          assert.deepEqual([answer.status, answer.errors.length, answer.touched], [status, 1, 0]);
          assert.match(answer.errors[0] ?? '', message);
        });
      }
    }

    test('of another origin, or beyond the rate, it touches no store', async () => {
      const limits: Limits = { access: 'full', origins: ['https://shop.example'], requestsPerSecond: 1 };
      const refused = await send(all[0] as ListedOperation, limits, { Origin: 'https://evil.example' });
      assert.deepEqual([refused.status, refused.touched], [403, 0]);
    });
  });
}
