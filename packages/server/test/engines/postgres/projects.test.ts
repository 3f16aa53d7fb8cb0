import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startPostgres, type TestPostgres } from 'basedrive-acceptance/services/postgres.js';
import { adminKeyFile, assertExceeded, projectOn, putItem, reachedBy } from '../../support/quota-project.js';
import { run, startServer, temporaryFolder } from '../../support/run-cli.js';

let postgres: TestPostgres;
before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

test('a project is exported, deleted whole while servers write to it, and imported again', async (context) => {
  const items = await postgres.createDatabase('projects');
  assert.equal((await run(['migrate', '--items', items])).code, 0);
  const folder = await temporaryFolder(context);
  const file = await adminKeyFile(context);
  const blobs = join(folder, 'blobs');
  const stores = ['--items', items, '--blobs', blobs, '--data', join(folder, 'data')];
  const options = [...stores, '--admin-key-file', file, '--log-level', 'error'];
  const [one, two] = await Promise.all([startServer(context, options), startServer(context, options)]);
  // A name that no random text has.
  const shop = await projectOn(one.url, 'shop-around-the-corner');
  const other = await projectOn(two.url);
  const onTwo = await reachedBy(two.url, shop.name, shop.key);
  const bytes = 300_000;
  for (const { send } of [shop, other]) {
    await send('PUT', '/d/settings', { trash: '30d' });
    for (let at = 0; at < 20; at++) await send('PUT', `/b${at % 3}/items`, putItem(`${at}`, { at }));
    for (const name of ['a', 'b', 'b']) await send('POST', `/d/files?name=${name}`, 'x'.repeat(bytes));
    const { upload_id: id } = JSON.parse((await send('POST', '/d/uploads?name=u')).text);
    await send('POST', `/d/uploads/${id}/parts?name=u&part=1`, 'x'.repeat(bytes));
    await send('PUT', '/b0/indexes/at', { fields: ['at'] });
    await send('POST', '/keys', { access: 'read' });
  }
  await shop.quota({ items: 1000, file_bytes: 100 * bytes });
  const before = await other.usage();
  const exported = join(folder, 'shop.zip');
  const took = await run(['export', '--project', shop.name, exported, ...stores]);
  assert.equal(took.code, 0, took.out + took.err);

  // Both servers write until they are refused.
  const writing = [shop, onTwo].map(async ({ send }, server) => {
    for (let at = 0; ; at++) {
      const { status } = await send('PUT', `/new${server}/items`, putItem(`${at}`));
      await send('POST', `/new/files?name=${server}-${at}`, 'x'.repeat(bytes));
      if (status === 401 || status === 410) return;
      assert.equal(status, 207);
    }
  });
  const gone = await run(['projects', 'delete', shop.name, '--yes', ...stores]);
  assert.equal(gone.code, 0, gone.out + gone.err);
  await Promise.all(writing);
  const left = await postgres.ask(
    `SELECT convert_from(space, 'UTF8') FROM basedrive_rows
      WHERE position(convert_to('${shop.name}', 'UTF8') in space || key || value) > 0`,
    'projects',
  );
  assert.deepEqual(left, []);
  const check = await run(['check', ...stores]);
  assert.equal(check.code, 0, check.out + check.err);
  assert.deepEqual(await other.usage(), before);

  // The name is free, without the quota that it had.
  const again = await projectOn(two.url, shop.name);
  assert.deepEqual({ ...(await again.usage()) }, { ...emptyUsage, name: shop.name });
  const brought = await run(['import', '--project', shop.name, exported, ...stores]);
  assert.equal(brought.code, 0, brought.out + brought.err);
  const { items: count, files } = await again.usage();
  assert.deepEqual({ count, files }, { count: 20, files: 2 });
  await again.quota({ items: 20 });
  assertExceeded(await again.send('PUT', '/b0/items', putItem('new')), 'items');
  assert.ok((await readdir(blobs, { recursive: true })).length > 0);
});

const emptyUsage = {
  items: 0,
  item_bytes: 0,
  files: 0,
  file_bytes: 0,
  trash_bytes: 0,
  upload_bytes: 0,
  exact: true,
};
