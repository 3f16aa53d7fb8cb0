import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startS3, type TestS3 } from 'basedrive-acceptance/services/s3.js';
import { run, temporaryFolder } from '../../support/run-cli.js';
import { contentOf, filledFolder } from '../../support/served-copy.js';

let store: TestS3;

before(async () => {
  store = await startS3();
});
after(() => store.stop());

test('a store is backed up to a bucket, only new bytes are sent again, and it is restored from there', async (context) => {
  const folder = await filledFolder(context);
  const place = `s3://${await store.createBucket()}/backups`;
  const variables = store.environment();
  for (const copied of [3, 0]) {
    const { code, out, err } = await run(
      ['backup', place, '--data', folder, '--json', '--keep', '0s'],
      variables,
    );
    assert.equal(code, 0, err);
    const report = JSON.parse(out) as { blobs: number; blobsCopied: number };
    assert.deepEqual([report.blobs, report.blobsCopied], [3, copied]);
  }
  const to = await temporaryFolder(context);
  const restored = await run(['restore', place, '--data', to], variables);
  assert.equal(restored.code, 0, restored.err);
  assert.deepEqual(await contentOf(to), await contentOf(folder));
});
