import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { startPostgres, type TestPostgres } from 'basedrive-acceptance/services/postgres.js';
import type { ItemStore } from '../../../src/engines/item-store.js';
import { openMemoryBlobStore } from '../../../src/engines/memory/blob-store.js';
import { createProjectDeletion } from '../../../src/projects/project-deletion.js';
import { openProjectRegistry } from '../../../src/projects/project-registry.js';
import { noLedgers } from '../../../src/quotas/ledgers.js';
import { baseSpace } from '../../../src/spaces.js';
import { freshDatabase, withStoresAt } from '../../support/postgres-databases.js';

let postgres: TestPostgres;

before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

const space = baseSpace('shop', 'b');

function put(items: ItemStore, text: string): Promise<void> {
  const puts = [{ key: 'k', value: Buffer.from(text) }];
  return items.transact(space, [], () => ({ puts, result: undefined }));
}

/** Deletes a project whose deletion another server finishes, and whose name is given again, just before this moment. */
async function deletedAgain(items: ItemStore, at: 'while it waits' | 'at its first change'): Promise<string> {
  const registry = await openProjectRegistry(items);
  await put(items, 'old');
  await registry.change('shop', () => ({ isDeleted: true }));
  const elsewhere = await openProjectRegistry(items);
  let isFinished = false;
  const finishElsewhere = async () => {
    if (isFinished) return;
    isFinished = true;
    await elsewhere.change('shop', () => undefined);
    await put(items, 'new');
  };
  const ended = new AbortController();
  const deletion = createProjectDeletion({
    items: {
      ...items,
      async transact(...given) {
        await finishElsewhere();
        return await items.transact(...given);
      },
      async transactAcross(...given) {
        await finishElsewhere();
        return await items.transactAcross!(...given);
      },
    },
    blobs: openMemoryBlobStore(),
    keys: { revokeAll: async () => {} },
    registry,
    ledgers: noLedgers,
    onError(cause) {
      ended.abort(cause);
    },
  });
  deletion.start('shop');
  if (at === 'while it waits') await finishElsewhere();
  // Its wait for other servers, and as long again.
  await Promise.race([once(ended.signal, 'abort'), new Promise((resolve) => setTimeout(resolve, 6000))]);
  await deletion.stop();
  assert.equal(ended.signal.aborted, false, String(ended.signal.reason));
  assert.equal(isFinished, true);
  return String(await items.get(space, 'k'));
}

for (const at of ['while it waits', 'at its first change'] as const)
  test(`a deletion that another server has finished deletes no new project of this name: ${at}`, async () => {
    const { url } = await freshDatabase(postgres);
    await withStoresAt([url], async ([items]) => assert.equal(await deletedAgain(items!, at), 'new'));
  });
