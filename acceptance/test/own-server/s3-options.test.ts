import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import type { LookupFunction } from 'node:net';
import { test } from 'node:test';
import {
  GetObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { launchTarget } from '../../src/target.js';
import { bytesOf, openS3 } from '../support/s3.js';

/** Every host is this machine. */
const lookup: LookupFunction = (_host, options, found) => {
  if (options.all) found(null, [{ address: '127.0.0.1', family: 4 }]);
  else found(null, '127.0.0.1', 4);
};

test('below --s3-domain the bucket is in the host, and in the path elsewhere', async () => {
  const target = await launchTarget('--s3-domain', 's3.shop.example');
  const s3 = await openS3(target);
  const client = s3.clientOf(s3.credentials, {
    endpoint: `http://s3.shop.example:${target.url.port}`,
    forcePathStyle: false,
    requestHandler: { httpAgent: new Agent({ lookup }) },
  });
  try {
    const Bucket = await s3.bucket();
    await client.send(new PutObjectCommand({ Bucket, Key: 'a b/ü', Body: 'hello' }));
    const { Contents } = await client.send(new ListObjectsV2Command({ Bucket }));
    assert.deepEqual(
      Contents?.map(({ Key }) => Key),
      ['a b/ü'],
    );
    const { Buckets } = await client.send(new ListBucketsCommand({}));
    assert.deepEqual(
      Buckets?.map(({ Name }) => Name),
      [Bucket],
    );
    const found = await s3.client.send(new GetObjectCommand({ Bucket, Key: 'a b/ü' }));
    assert.equal((await bytesOf(found.Body)).toString(), 'hello');
  } finally {
    client.destroy();
    s3.client.destroy();
    s3.api.close();
    await target.close();
  }
});

test('with --s3 off, a signed request is one without a key', async () => {
  const target = await launchTarget('--s3', 'off');
  try {
    const headers = { Authorization: 'AWS4-HMAC-SHA256 Credential=x/20260101/us-east-1/s3/aws4_request' };
    const answer = await fetch(new URL('/bucket/key', target.url), { headers });
    assert.deepEqual([answer.status, answer.headers.get('Content-Type')], [404, 'application/json']);
  } finally {
    await target.close();
  }
});
