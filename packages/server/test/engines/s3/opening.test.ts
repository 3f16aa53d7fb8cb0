import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startS3, type TestS3 } from 'basedrive-acceptance/services/s3.js';
import { s3Options } from '../../../src/engines/s3/options.js';
import { openS3BlobStore } from '../../../src/engines/s3/store.js';
import { StorageUnavailable } from '../../../src/engines/storage-errors.js';
import { OperatorError } from '../../../src/operator-error.js';

let s3: TestS3;

before(async () => {
  s3 = await startS3();
});
after(() => s3.stop());

test('what the operator must correct is reported in one line without the secret', async () => {
  const bucket = await s3.createBucket();
  const environment = s3.environment();
  const secret = `${environment.AWS_SECRET_ACCESS_KEY}`;
  const refused = async (
    changes: Readonly<Record<string, string>>,
    words: RegExp,
    url = `s3://${bucket}`,
  ) => {
    const opening = async () => openS3BlobStore(s3Options(url, { ...environment, ...changes }));
    await assert.rejects(opening(), (cause) => {
      assert.ok(cause instanceof OperatorError, String(cause));
      assert.match(cause.message, words);
      assert.doesNotMatch(cause.message, /\n/);
      assert.ok(!`${cause.stack} ${(cause.cause as Error | undefined)?.stack}`.includes(secret));
      return true;
    });
  };
  await refused({}, /no such bucket/, 's3://no-such-bucket-here');
  await refused({ AWS_SECRET_ACCESS_KEY: 'wrong' }, /denied|secret/);
  await refused({ AWS_ACCESS_KEY_ID: 'wrong' }, /denied|access key/);
  await refused({ BASEDRIVE_S3_ENDPOINT: 'localhost:9000' }, /must be a URL.*localhost:9000/);
  await refused({}, /prefix \/a%/, `s3://${bucket}/a%`);
  const nobody = s3Options(`s3://${bucket}`, s3.environment('http://127.0.0.1:1'));
  await assert.rejects(openS3BlobStore(nobody), (cause) => cause instanceof StorageUnavailable);
});
