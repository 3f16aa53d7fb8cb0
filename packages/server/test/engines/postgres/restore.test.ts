import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startPostgres, type TestPostgres } from 'basedrive-acceptance/services/postgres.js';
import { backup } from '../../support/backups.js';
import { run, startServer, temporaryFolder } from '../../support/run-cli.js';
import { filledFolder, key } from '../../support/served-copy.js';

let postgres: TestPostgres;

before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

test('a backup of a data folder is restored to a database and a folder, whole, and only where nothing is', async (context) => {
  const source = await filledFolder(context);
  const place = join(await temporaryFolder(context), 'backups');
  await backup(source, place);
  const items = await postgres.createDatabase('restored');
  assert.equal((await run(['migrate', '--items', items])).code, 0);
  const blobs = join(await temporaryFolder(context), 'bytes');
  const store = ['--items', items, '--blobs', blobs];
  const restored = await run(['restore', place, ...store]);
  assert.equal(restored.code, 0, restored.err);
  const checked = await run(['check', ...store]);
  assert.match(checked.out, /^Read 2 items, 3 files and 2 parts of 1 open upload;.*\nNothing is wrong$/ms);

  const again = await run(['restore', place, ...store]);
  assert.equal(again.code, 2, again.out);
  const server = await startServer(context, [...store, '--key', key]);
  const answer = await fetch(`${server.url}/v1/demo/drive/files/download?name=joined`, {
    headers: { 'X-API-Key': key },
  });
  assert.equal((await answer.arrayBuffer()).byteLength, 5 * 1024 * 1024 + 4);
  assert.equal(await server.stop(), 0);
});
