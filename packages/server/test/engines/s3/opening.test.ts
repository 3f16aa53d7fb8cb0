import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startS3, type TestS3 } from 'basedrive-acceptance/services/s3.js';
import { openLevelStore } from '../../../src/engines/level/store.js';
import { s3Options } from '../../../src/engines/s3/options.js';
import { openS3BlobStore } from '../../../src/engines/s3/store.js';
import { StorageUnavailable } from '../../../src/engines/storage-errors.js';
import { randomId } from '../../../src/lib/random-id.js';
import { OperatorError } from '../../../src/operator-error.js';
import { claimBlobs, haveSameIdentity } from '../../../src/store/identity.js';
import { startFakeStore } from '../../support/s3-fake-store.js';

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

test('a claim of other rows is not replaced, however late the write of one that looked before it comes', async () => {
  const blobs = await openS3BlobStore(s3Options(`s3://${await s3.createBucket()}`, s3.environment()));
  const [ours, theirs] = [await openLevelStore({ memory: true }), await openLevelStore({ memory: true })];
  let claimed: string | undefined;
  const late = {
    ...blobs,
    // The last look before the write.
    async *ids() {
      yield* blobs.ids();
      claimed ??= await claimBlobs(ours, blobs);
    },
  };
  assert.equal(await claimBlobs(theirs, late), undefined);
  assert.ok(claimed !== undefined);
  assert.ok(await haveSameIdentity(ours, blobs));
  await blobs.close();
});

for (const status of [400, 501])
  test(`a store that refuses the condition with ${status} is sent the write without it`, async (context) => {
    let stored = 0;
    const { store } = await startFakeStore(context, (request, response) => {
      request.resume().on('end', () => {
        const isRefused = request.headers['if-none-match'] !== undefined;
        if (isRefused) {
          response.statusCode = status;
          return response.end('<Error><Code>NotImplemented</Code></Error>');
        }
        stored++;
        return response.setHeader('content-length', 1).end(request.method === 'HEAD' ? undefined : ' ');
      });
    });
    assert.ok(await store.writeUnlessThere?.(randomId(), Buffer.from('x')));
    assert.ok(stored > 0);
  });

for (const status of [409, 412])
  test(`a store that answers the condition with ${status} has a blob already`, async (context) => {
    const { store, requests } = await startFakeStore(context, (request, response) => {
      request.resume().on('end', () => {
        response.statusCode = status;
        response.end();
      });
    });
    assert.equal(await store.writeUnlessThere?.(randomId(), Buffer.from('x')), false);
    assert.ok(requests.every((line) => line.startsWith('PUT ')));
  });
