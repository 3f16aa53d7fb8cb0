import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startPostgres, type TestPostgres } from 'basedrive-acceptance/services/postgres.js';
import { createDriveService, type DriveService } from '../../../src/drive/service.js';
import type { ItemStore } from '../../../src/engines/item-store.js';
import { openMemoryBlobStore } from '../../../src/engines/memory/blob-store.js';
import { checkStore } from '../../../src/store/check/check-store.js';
import { freshDatabase, withStoresAt } from '../../support/postgres-databases.js';

const drive = ['demo', 'photos'] as const;
const query = { prefix: '', within: '', last: '', limit: 1000 };
const clock = () => 1_700_000_000_000;
let postgres: TestPostgres;

before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

describe('the trash of a drive, at two servers over one database', () => {
  async function withServers(
    work: (one: DriveService, two: DriveService, check: () => Promise<void>) => Promise<void>,
  ) {
    const { url } = await freshDatabase(postgres);
    const blobs = openMemoryBlobStore();
    await withStoresAt([url, url], async (stores: readonly ItemStore[]) => {
      const settings = { uploadTtlSeconds: 60 };
      const [items, other] = stores as [ItemStore, ItemStore];
      const serve = (rows: ItemStore) =>
        createDriveService({ items: rows, blobs, clock, settings, wakeMaintenance: () => {} });
      await work(serve(items), serve(other), async () => {
        const { problems } = await checkStore({ items, blobs, clock, orphanAgeSeconds: 0 });
        assert.deepEqual(problems, []);
      });
    });
  }

  test('what is deleted at one server after the other has set it is in the trash', async () => {
    await withServers(async (one, two, check) => {
      const put = (name: string) =>
        two.put(...drive, name, { source: Buffer.alloc(300_000, name), contentType: 'x/y' });
      for (let round = 0; round < 10; round++) {
        await put(`f${round}`);
        await one.trash.set(...drive, 60);
        await two.remove(...drive, [`f${round}`]);
        const { files } = await one.trash.list(...drive, query);
        assert.equal(files.length, round + 1);
        await one.trash.set(...drive, 0);
        await put('gone');
        await two.remove(...drive, ['gone']);
      }
      const { files } = await two.trash.list(...drive, query);
      assert.ok(files.every(({ file }) => file.name !== 'gone'));
      await check();
    });
  });

  test('of restores and deletes at both servers at once, one succeeds, and the content has one owner', async () => {
    await withServers(async (one, two, check) => {
      await one.trash.set(...drive, 60);
      for (let round = 0; round < 15; round++) {
        const name = `f${round}`;
        await one.put(...drive, name, { source: Buffer.alloc(300_000, name), contentType: 'x/y' });
        await two.remove(...drive, [name]);
        const [trashed] = (await one.trash.list(...drive, { ...query, prefix: name })).files;
        const id = trashed?.id ?? '';
        const restore = (server: DriveService, to: string) =>
          server.trash
            .restore(...drive, { files: [{ id, name: to }], overwrite: false, within: '' })
            .then(() => 1)
            .catch(() => 0);
        const won = await Promise.all([
          restore(one, `${name}-one`),
          restore(two, `${name}-two`),
          two.trash.remove(...drive, [id], () => true),
        ]);
        assert.equal(
          won.reduce((sum, each) => sum + each, 0),
          1,
        );
      }
      await check();
    });
  });
});
