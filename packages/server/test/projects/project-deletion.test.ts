import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createBaseService } from '../../src/base/service.js';
import { createCatalogService } from '../../src/catalog/service.js';
import { createDriveService } from '../../src/drive/service.js';
import type { BlobStore } from '../../src/engines/blob-store.js';
import type { ItemStore } from '../../src/engines/item-store.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import { openMemoryBlobStore } from '../../src/engines/memory/blob-store.js';
import { createKeyRing } from '../../src/keys/key-ring.js';
import { setDefaultQuota } from '../../src/projects/default-quota.js';
import { openProjectRegistry } from '../../src/projects/project-registry.js';
import { createProjectService } from '../../src/projects/service.js';
import { wipeProject } from '../../src/projects/wipe-project.js';
import { noLedgers } from '../../src/quotas/ledgers.js';
import { baseSpace } from '../../src/spaces.js';

describe('what is deleted of a project', () => {
  let items: ItemStore;
  let blobs: BlobStore;
  before(async () => {
    items = await openLevelStore({ memory: true });
    blobs = openMemoryBlobStore();
  });
  after(() => items.close());

  async function spaces(): Promise<readonly string[]> {
    const found: string[] = [];
    for await (const space of items.spaces('')) found.push(space);
    return found;
  }

  async function blobIds(): Promise<readonly string[]> {
    const found: string[] = [];
    for await (const ids of blobs.ids()) found.push(...[ids].flat().map((id) => JSON.stringify(id)));
    return found;
  }

  async function fill(project: string): Promise<void> {
    const bases = createBaseService(items, Date.now);
    const settings = { uploadTtlSeconds: 3600, trashSeconds: 3600 };
    const drives = createDriveService({ items, blobs, clock: Date.now, settings, wakeMaintenance() {} });
    const source = Buffer.alloc(100_000);
    const file = { source, contentType: 'text/plain' };
    for (const name of ['a', 'b']) {
      const item = { key: 'k', value: Buffer.from('{"key":"k"}') };
      await items.transact(baseSpace(project, name), [], () => ({ puts: [item], result: undefined }));
      await bases.setCounted(project, name, true);
      await drives.put(project, name, 'f', file);
      await drives.put(project, name, 'f', file);
      await drives.put(project, name, 'small', { ...file, source: Buffer.from('x') });
      const uploadId = await drives.uploads.initialize(project, name, 'g');
      await drives.uploads.part(project, name, 'g', { uploadId, part: 1, source });
    }
    await Promise.all([bases.stop(), drives.stop()]);
  }

  test('is all of it, in any number of attempts, and nothing of a project whose name begins so', async () => {
    await fill('shop-two');
    const other = { spaces: await spaces(), blobs: (await blobIds()).length };
    await fill('shop');
    assert.ok((await blobIds()).length > other.blobs);
    // Each attempt ends a step later than the one before.
    for (let steps = 1; ; steps++) {
      let left = steps;
      const isDone = await wipeProject({ items, blobs }, 'shop', async () => {
        if (left-- === 0) throw new Error('killed');
      }).then(
        () => true,
        (cause: Error) => {
          assert.equal(cause.message, 'killed');
          return false;
        },
      );
      if (isDone) break;
    }
    assert.deepEqual(await spaces(), other.spaces);
    assert.equal((await blobIds()).length, other.blobs);
  });

  test('rows on several shards have no quota of what is stored', async () => {
    const shared = { ...items, isShared: true };
    await assert.rejects(setDefaultQuota(shared, { items: 1 }), /--quota: the rows are on several shards/);
    const registry = await openProjectRegistry(shared);
    const service = createProjectService({
      items: shared,
      blobs,
      keys: await createKeyRing(shared, [], Date.now),
      catalog: createCatalogService(shared, Date.now),
      bases: createBaseService(shared, Date.now),
      ledgers: noLedgers,
      registry,
      clock: Date.now,
      onError(cause) {
        throw cause;
      },
    });
    await assert.rejects(service.setQuota('shop-two', { items: 1 }), { status: 409 });
    await service.setQuota('shop-two', { requestsPerSecond: 1 });
    registry.count('shop-two', 1000);
    assert.throws(() => registry.count('shop-two', 1001), { status: 429 });
    const elsewhere = await openProjectRegistry(shared);
    await service.setQuota('shop-two', {});
    await elsewhere.reload();
    elsewhere.count('shop-two', 1000);
    elsewhere.count('shop-two', 1000);
    await service.stop();
  });
});
