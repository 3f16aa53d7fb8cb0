import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { GetObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { AwsClient } from 'aws4fetch';
import { Client } from 'minio';
import { newBucket, useS3 } from './support/s3.js';

describe('other clients of npm over S3', { concurrency: true }, () => {
  const s3 = useS3();

  test('presigned URLs that others use, by s3-request-presigner', async () => {
    const Bucket = await s3.bucket();
    const Key = 'a b/ü+.txt';
    const url = await getSignedUrl(
      s3.client,
      new PutObjectCommand({ Bucket, Key, ContentType: 'text/css' }),
      {
        expiresIn: 60,
      },
    );
    const origin = 'https://page.example';
    const asked = {
      Origin: origin,
      'Access-Control-Request-Method': 'PUT',
      'Access-Control-Request-Headers': 'content-type',
    };
    const preflight = await fetch(url, { method: 'OPTIONS', headers: asked });
    assert.equal(preflight.headers.get('Access-Control-Allow-Headers'), 'content-type');
    assert.equal(preflight.headers.get('Access-Control-Allow-Origin'), '*');
    const put = await fetch(url, {
      method: 'PUT',
      body: 'hello',
      headers: { 'Content-Type': 'text/css', Origin: origin },
    });
    assert.equal(put.status, 200, await put.text());
    const get = await getSignedUrl(
      s3.client,
      new GetObjectCommand({ Bucket, Key, ResponseContentType: 'text/html' }),
    );
    const read = await fetch(get);
    assert.deepEqual(
      [read.status, await read.text(), read.headers.get('Content-Type')],
      [200, 'hello', 'text/html'],
    );
    assert.match(read.headers.get('Content-Security-Policy') ?? '', /sandbox/);
    assert.equal((await fetch(get, { method: 'PUT', body: 'x' })).status, 403);
    assert.equal((await fetch(get.replace('text%2Fhtml', 'text%2Fhtmm'))).status, 403);
    const more = await fetch(url, {
      method: 'PUT',
      body: 'x',
      headers: { 'Content-Type': 'text/css', 'x-amz-meta-a': 'b' },
    });
    assert.equal(more.status, 403);
  });

  test('minio: buckets, streams in parts, lists, copies, presigned URLs', async () => {
    const { url } = s3.target;
    const client = new Client({
      endPoint: url.hostname,
      port: Number(url.port),
      useSSL: url.protocol === 'https:',
      accessKey: s3.credentials.accessKeyId,
      secretKey: s3.credentials.secretAccessKey,
    });
    const bucket = newBucket();
    assert.equal(await client.bucketExists(bucket), false);
    await client.makeBucket(bucket);
    assert.equal(await client.bucketExists(bucket), true);
    const bytes = randomBytes(12_000_000);
    await client.putObject(bucket, 'dir/big', bytes, bytes.length, { 'x-amz-meta-a': 'b' });
    const { size, metaData } = await client.statObject(bucket, 'dir/big');
    assert.deepEqual([size, metaData.a], [bytes.length, 'b']);
    const chunks: Buffer[] = [];
    for await (const chunk of await client.getPartialObject(bucket, 'dir/big', 5_000_000, 1000))
      chunks.push(chunk);
    assert.ok(Buffer.concat(chunks).equals(bytes.subarray(5_000_000, 5_001_000)));
    await client.putObject(bucket, 'ü b', 'small');
    const names: string[] = [];
    for await (const item of client.listObjectsV2(bucket, '', true)) names.push(item.name);
    assert.deepEqual(names, ['dir/big', 'ü b']);
    const link = await client.presignedGetObject(bucket, 'ü b', 60);
    assert.equal(await (await fetch(link)).text(), 'small');
    await client.removeObjects(bucket, names);
    await client.removeBucket(bucket);
    assert.equal(await client.bucketExists(bucket), false);
  });

  test('aws4fetch', async () => {
    const Bucket = await s3.bucket();
    const client = new AwsClient({ ...s3.credentials, service: 's3', region: 'auto', retries: 0 });
    const url = `${s3.target.url.origin}/${Bucket}/a%20b/c`;
    const put = await client.fetch(url, { method: 'PUT', body: 'hello', headers: { 'x-amz-meta-a': 'b' } });
    assert.equal(put.status, 200, await put.text());
    const read = await client.fetch(url);
    assert.deepEqual([await read.text(), read.headers.get('x-amz-meta-a')], ['hello', 'b']);
    const head = await s3.client.send(new HeadObjectCommand({ Bucket, Key: 'a b/c' }));
    assert.equal(head.ContentLength, 5);
    assert.equal((await client.fetch(url, { method: 'DELETE' })).status, 204);
  });
});
