import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openBlobs, openItems, shownAddress } from '../../src/engines/registry.js';
import { randomId } from '../../src/lib/random-id.js';
import { OperatorError } from '../../src/operator-error.js';
import { openDataFolder } from '../../src/store/data-folder.js';

test('an address is printed without its user, its password and its options', () => {
  for (const [url, shown] of [
    ['postgres://user:s3cret@db.test:5433/shop?sslmode=require', 'postgres://db.test:5433/shop'],
    ['postgresql:///shop?host=/run/postgresql&password=s3cret', 'postgresql:///shop'],
    ['s3://bucket/a/prefix', 's3://bucket/a/prefix'],
    ['/srv/blobs', '/srv/blobs'],
  ] as const) {
    assert.equal(shownAddress(url), shown);
  }
});

test('without an address everything is in the data folder, in the parts that were asked for', async (context) => {
  const path = await mkdtemp(join(tmpdir(), 'basedrive-open-'));
  context.after(() => rm(path, { recursive: true, maxRetries: 10 }));
  const folder = await openDataFolder(path, { parts: ['rows', 'blobs'], create: 'always' });
  assert.deepEqual((await readdir(path)).sort(), ['FORMAT', 'blobs', 'rows']);
  const items = await openItems({ address: folder.rows, variables: {}, create: true });
  const blobs = await openBlobs({ address: folder.blobs, variables: {}, create: true });
  assert.equal(items.isShared, false);
  const id = randomId();
  await blobs.write(id, [Buffer.from('bytes')]);
  assert.deepEqual(await readdir(join(folder.blobs, id.slice(0, 2))), [id]);
  await blobs.close();
  await items.close();
});

test('a folder of bytes that cannot be used is one line', async (context) => {
  const path = await mkdtemp(join(tmpdir(), 'basedrive-open-'));
  context.after(() => rm(path, { recursive: true, maxRetries: 10 }));
  const file = join(path, 'file');
  await writeFile(file, '');
  const opened = openBlobs({ address: join(file, 'blobs'), variables: {}, create: true });
  await assert.rejects(opened, (cause) => {
    assert.ok(cause instanceof OperatorError);
    assert.match(cause.message, /^The bytes in \S+ cannot be opened: [^\n]+$/);
    return true;
  });
});
