import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startS3, type TestS3 } from 'basedrive-acceptance/services/s3.js';
import { clockAhead, doctor } from '../../support/doctor.js';
import { temporaryFolder } from '../../support/run-cli.js';

let s3: TestS3;
let bucket: string;

before(async () => {
  s3 = await startS3();
  bucket = await s3.createBucket();
});
after(() => s3.stop());

async function look(folder: string, variables: NodeJS.ProcessEnv = {}, blobs = `s3://${bucket}`) {
  return await doctor(['--data', folder, '--blobs', blobs], { ...s3.environment(), ...variables });
}

test('a bucket that can be used is in order', async (context) => {
  const { code, of } = await look(await temporaryFolder(context));
  assert.equal(code, 0);
  assert.match(of('bytes').found, /: a read takes [\d.]+ ms$/);
  assert.deepEqual(
    [of('S3 clock').verdict, of('S3 clock').found],
    ['ok', 'in step with the clock of this machine'],
  );
});

test('wrong credentials, a bucket that is missing and a store that is away are failures, each with what to do', async (context) => {
  const folder = await temporaryFolder(context);
  const failure = async (...given: [variables?: NodeJS.ProcessEnv, blobs?: string]) => {
    const { code, of } = await look(folder, ...given);
    assert.equal(code, 1);
    const { verdict, found, advice } = of('bytes');
    assert.equal(verdict, 'failed');
    return `${found} → ${advice}`;
  };
  assert.match(
    await failure({ AWS_SECRET_ACCESS_KEY: 'wrong' }),
    /cannot be used: the secret key is wrong → Correct AWS_SECRET_ACCESS_KEY/,
  );
  assert.match(
    await failure({ AWS_ACCESS_KEY_ID: 'wrong' }),
    /cannot be used: the access key is unknown → Correct AWS_ACCESS_KEY_ID/,
  );
  assert.match(
    await failure({}, 's3://no-such-bucket-here'),
    /there is no such bucket → Create the bucket, or correct its name in --blobs/,
  );
  assert.match(
    await failure(s3.environment('http://127.0.0.1:1')),
    /The S3 store is unavailable: .* → Nothing listens there: start it, or correct the host and the port/,
  );
});

test('a clock that differs from that of the store is named, and a failure beyond a quarter of an hour', async (context) => {
  const folder = await temporaryFolder(context);
  const little = await look(folder, clockAhead(120));
  assert.equal(little.of('S3 clock').verdict, 'warning');
  assert.match(little.of('S3 clock').found, /^the clock of this machine is 1(19|2[0-9]) s ahead$/);
  const much = await look(folder, clockAhead(3600));
  assert.equal(much.code, 1);
  assert.equal(much.of('S3 clock').verdict, 'failed');
  assert.match(much.of('S3 clock').found, /^the clock of this machine is 3,[56]\d\d s ahead$/);
});
