import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  type LifecycleRule,
  PutBucketLifecycleConfigurationCommand,
  PutBucketVersioningCommand,
} from '@aws-sdk/client-s3';
import { startS3, type TestS3 } from 'basedrive-acceptance/services/s3.js';
import { openS3Client } from '../../../src/engines/s3/client.js';
import { s3Options } from '../../../src/engines/s3/options.js';
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

test('a rule that deletes objects is a failure, and versions that no rule ends are a warning', async (context) => {
  const folder = await temporaryFolder(context);
  const own = await s3.createBucket();
  const client = openS3Client(s3Options(`s3://${own}`, s3.environment()));
  context.after(() => client.destroy());
  const rule = async (how: Omit<LifecycleRule, 'ID' | 'Status'>) => {
    const Rules: LifecycleRule[] = [{ ID: 'of-a-test', Status: 'Enabled', ...how }];
    const change = { Bucket: own, LifecycleConfiguration: { Rules } };
    await client.send(new PutBucketLifecycleConfigurationCommand(change));
  };
  const found = async () => await look(folder, {}, `s3://${own}/basedrive`);

  await rule({ Filter: { Prefix: 'logs/' }, Expiration: { Days: 30 } });
  assert.equal((await found()).code, 0);
  for (const Prefix of ['', 'basedrive/00/']) {
    await rule({ Filter: { Prefix }, Expiration: { Days: 30 } });
    const { code, of } = await found();
    assert.equal(code, 1);
    assert.match(of('S3 lifecycle').found, /^the rule of-a-test of the bucket deletes objects by their age/);
  }

  await client.send(
    new PutBucketVersioningCommand({ Bucket: own, VersioningConfiguration: { Status: 'Enabled' } }),
  );
  await rule({ Filter: { Prefix: 'logs/' }, NoncurrentVersionExpiration: { NoncurrentDays: 30 } });
  const { code, of } = await found();
  assert.equal(code, 0);
  assert.equal(of('S3 versions').verdict, 'warning');
  await rule({ Filter: { Prefix: '' }, NoncurrentVersionExpiration: { NoncurrentDays: 30 } });
  const ended = await found();
  assert.throws(() => ended.of('S3 versions'));
});
