import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { get, Agent as SecureAgent } from 'node:https';
import type { LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import {
  GetObjectCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
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
    // Elsewhere this is the path of a public file (docs/s3.md#caches).
    const cached = { Bucket, Key: 'public/demo/d/f', CacheControl: 'public' };
    await client.send(new PutObjectCommand({ ...cached, Body: 'x' }));
    const { CacheControl } = await client.send(new HeadObjectCommand({ Bucket, Key: cached.Key }));
    assert.equal(CacheControl, 'public');
  } finally {
    client.destroy();
    s3.client.destroy();
    s3.api.close();
    await target.close();
  }
});

test('over HTTPS, where clients leave the signatures of bodies to TLS, objects are the same', async () => {
  const target = await launchTarget('--https');
  const s3 = await openS3(target);
  const { client } = s3;
  try {
    const Bucket = await s3.bucket();
    const sent = new Map<string, Buffer>();
    const payloads = new Set<string>();
    client.middlewareStack.add(
      (next) => async (call) => {
        const { headers } = call.request as { readonly headers: Readonly<Record<string, string>> };
        payloads.add(headers['x-amz-content-sha256'] ?? '');
        return await next(call);
      },
      { step: 'finalizeRequest', priority: 'low' },
    );
    for (const size of [0, 1, 20_000, 300_000]) {
      const bytes = Buffer.alloc(size, 'over TLS ');
      sent.set(`of ${size}`, bytes);
      sent.set(`streamed of ${size}`, bytes);
      await client.send(new PutObjectCommand({ Bucket, Key: `of ${size}`, Body: bytes }));
      const Body = Readable.from(size === 0 ? [] : [bytes]);
      await client.send(
        new PutObjectCommand({ Bucket, Key: `streamed of ${size}`, Body, ContentLength: size }),
      );
    }
    const part = Buffer.alloc(5 * 1024 ** 2, 'part');
    const upload = new Upload({
      client,
      params: { Bucket, Key: 'parts', Body: Readable.from([part, part]) },
    });
    await upload.done();
    sent.set('parts', Buffer.concat([part, part]));
    assert.ok(payloads.has('UNSIGNED-PAYLOAD') || payloads.has('STREAMING-UNSIGNED-PAYLOAD-TRAILER'));
    for (const [Key, bytes] of sent) {
      const found = await client.send(new GetObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED' }));
      assert.ok((await bytesOf(found.Body)).equals(bytes), Key);
    }
    const link = await getSignedUrl(client, new GetObjectCommand({ Bucket, Key: 'of 1' }));
    const agent = new SecureAgent({ ca: target.authority });
    const read = await new Promise<number | undefined>((resolve, reject) => {
      get(link, { agent }, (answer) => resolve(answer.resume().statusCode)).on('error', reject);
    });
    agent.destroy();
    assert.equal(read, 200);
  } finally {
    client.destroy();
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
