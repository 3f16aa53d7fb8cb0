import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketAclCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketPolicyCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutBucketPolicyCommand,
  PutBucketVersioningCommand,
  PutObjectAclCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { AwsClient } from 'aws4fetch';
import { deleteKey } from './support/keys.js';
import { openRaw } from './support/raw-connection.js';
import { newBucket, rejectsWith, useS3 } from './support/s3.js';

describe('who may do what over S3', { concurrency: true }, () => {
  const s3 = useS3();
  const put = (client: S3Client, Bucket: string, Key: string, more: object = {}) =>
    client.send(new PutObjectCommand({ Bucket, Key, Body: 'x', ...more }));

  test('nobody without a signature, with a wrong secret, or with an unknown key', async () => {
    const Bucket = await s3.bucket();
    await put(s3.client, Bucket, 'k');
    const get = (client: S3Client) => client.send(new GetObjectCommand({ Bucket, Key: 'k' }));
    const { accessKeyId } = s3.credentials;
    const anonymous = s3.clientOf(s3.credentials, { signer: { sign: async (request) => request } });
    await rejectsWith(get(anonymous), 'AccessDenied', 403);
    await rejectsWith(
      get(s3.clientOf({ accessKeyId, secretAccessKey: 'wrong' })),
      'SignatureDoesNotMatch',
      403,
    );
    const unknown = { accessKeyId: 'BDRVNOBODY', secretAccessKey: 'x' };
    await rejectsWith(get(s3.clientOf(unknown)), 'InvalidAccessKeyId', 403);
    const late = s3.clientOf(s3.credentials, { systemClockOffset: 3_600_000 });
    await assert.rejects(get(late), { name: 'RequestTimeTooSkewed' });
  });

  test('a link whose time is zero or less has expired', async () => {
    const Bucket = await s3.bucket();
    await put(s3.client, Bucket, 'k');
    const url = new URL(await getSignedUrl(s3.client, new GetObjectCommand({ Bucket, Key: 'k' })));
    for (const [expires, status, code] of [
      ['0', 403, 'AccessDenied'],
      ['-7', 403, 'AccessDenied'],
      ['604801', 400, 'AuthorizationQueryParametersError'],
      ['soon', 400, 'AuthorizationQueryParametersError'],
    ] as const) {
      url.searchParams.set('X-Amz-Expires', expires);
      const reply = await s3.api.send('GET', url.pathname + url.search, { key: null });
      assert.equal(reply.status, status, reply.text);
      assert.match(reply.text, new RegExp(`<Code>${code}</Code>`));
    }
  });

  test('a presigned URL may be asked for as the client of a proxy does', async () => {
    const Bucket = await s3.bucket();
    await put(s3.client, Bucket, 'k');
    const url = await getSignedUrl(s3.client, new GetObjectCommand({ Bucket, Key: 'k' }));
    const connection = await openRaw(s3.target);
    connection.write(`GET ${url} HTTP/1.1\r\nHost: ${new URL(url).host}\r\n\r\n`);
    const reply = await connection.reply();
    assert.deepEqual([reply.status, reply.text], [200, 'x']);
    connection.destroy();
  });

  test('no browser guesses what an answer is', async () => {
    const Bucket = await s3.bucket();
    await put(s3.client, Bucket, '<script>alert(1)</script>');
    const listing = new URL(await getSignedUrl(s3.client, new ListObjectsV2Command({ Bucket })));
    for (const [path, status] of [
      [listing.pathname + listing.search, 200],
      [listing.pathname, 403],
    ] as const) {
      const headers = { 'amz-sdk-invocation-id': 'x' };
      const reply = await s3.api.send('GET', path, { key: null, headers });
      assert.equal(reply.status, status, reply.text);
      assert.equal(reply.headers['content-type'], 'application/xml');
      assert.equal(reply.headers['x-content-type-options'], 'nosniff');
    }
  });

  test('a presigned URL gives no type that a browser could misunderstand', async () => {
    const Bucket = await s3.bucket();
    for (const [type, given] of [
      ['text/html', 'text/html'],
      ['text/plain; charset="utf-8"', 'text/plain; charset="utf-8"'],
      ['multipart/x-mixed-replace;boundary=x', 'application/octet-stream'],
      ['message/rfc822', 'application/octet-stream'],
      ['text/plain, text/html', 'application/octet-stream'],
    ] as const) {
      await put(s3.client, Bucket, 'k', { ContentType: type });
      const object = { Bucket, Key: 'k' };
      for (const asked of [object, { ...object, ResponseContentType: type }]) {
        const url = new URL(await getSignedUrl(s3.client, new GetObjectCommand(asked)));
        const reply = await s3.api.send('GET', url.pathname + url.search, { key: null });
        assert.equal(reply.headers['content-type'], given);
      }
      // A client that signs its own requests is told what was put.
      const { ContentType } = await s3.client.send(new HeadObjectCommand(object));
      assert.equal(ContentType, type);
    }
  });

  test('a request of an S3 client with an empty signature has none', async () => {
    const headers = { Authorization: '', 'amz-sdk-invocation-id': 'x' };
    const reply = await s3.api.send('PUT', `/${newBucket()}`, { key: null, headers });
    assert.equal(reply.status, 403, reply.text);
    assert.match(reply.text, /<Code>AccessDenied</);
  });

  test('an expectation that HTTP does not know is ignored, and a list may be unordered', async () => {
    const Bucket = await s3.bucket();
    await put(s3.client, Bucket, 'a/b');
    const url = new URL(await getSignedUrl(s3.client, new ListObjectsV2Command({ Bucket })));
    const headers = { Expect: '200' };
    const path = url.pathname + url.search;
    const reply = await s3.api.send('GET', path, { key: null, headers });
    assert.equal(reply.status, 200, reply.text);
    assert.equal((await s3.api.send('GET', '/health', { headers })).status, 417);
    const asked = async (more: object) => {
      const command = new ListObjectsV2Command({ Bucket, ...more });
      command.middlewareStack.add(
        (next) => (args) => {
          (args.request as { query: Record<string, string> }).query['allow-unordered'] = 'true';
          return next(args);
        },
        { step: 'build' },
      );
      return await s3.client.send(command);
    };
    assert.equal((await asked({})).KeyCount, 1);
    await rejectsWith(asked({ Delimiter: '/' }), 'InvalidArgument', 400);
  });

  test('nobody whose key was made without S3, or was deleted', async () => {
    const made = await s3.api.send('POST', `/v1/${s3.target.project}/keys`, { json: {} });
    const { id, key, ...others } = made.json<Record<string, string>>();
    assert.equal(others.secret_access_key, undefined);
    const guessed = { accessKeyId: `BDRV${String(id).toUpperCase()}`, secretAccessKey: String(key) };
    await rejectsWith(s3.clientOf(guessed).send(new ListBucketsCommand({})), 'InvalidAccessKeyId', 403);
    const credentials = await s3.credentialsOf({});
    const client = s3.clientOf(credentials);
    await client.send(new ListBucketsCommand({}));
    await deleteKey(s3.api, credentials);
    await rejectsWith(client.send(new ListBucketsCommand({})), 'InvalidAccessKeyId', 403);
  });

  test('a key reads or writes, in its drives, as it was made', async () => {
    const [mine, other] = [await s3.bucket(), await s3.bucket()];
    await put(s3.client, mine, 'k');
    await put(s3.client, other, 'k');
    const reader = s3.clientOf(await s3.credentialsOf({ access: 'read', drives: [mine] }));
    await reader.send(new HeadObjectCommand({ Bucket: mine, Key: 'k' }));
    const { Buckets = [] } = await reader.send(new ListBucketsCommand({}));
    assert.deepEqual(
      Buckets.map(({ Name }) => Name),
      [mine],
    );
    const refused = (work: Promise<unknown>) => rejectsWith(work, 'AccessDenied', 403);
    await refused(put(reader, mine, 'new'));
    await refused(reader.send(new DeleteObjectCommand({ Bucket: mine, Key: 'k' })));
    await refused(
      reader.send(new DeleteObjectsCommand({ Bucket: mine, Delete: { Objects: [{ Key: 'k' }] } })),
    );
    await refused(reader.send(new CreateMultipartUploadCommand({ Bucket: mine, Key: 'k' })));
    await refused(reader.send(new CreateBucketCommand({ Bucket: mine })));
    await refused(reader.send(new GetObjectCommand({ Bucket: other, Key: 'k' })));
    await refused(reader.send(new ListObjectsV2Command({ Bucket: other })));
    const writer = s3.clientOf(await s3.credentialsOf({ access: 'write', drives: [mine] }));
    await put(writer, mine, 'new');
    await refused(put(writer, other, 'new'));
    await refused(
      writer.send(new CopyObjectCommand({ Bucket: mine, Key: 'stolen', CopySource: `${other}/k` })),
    );
    await refused(writer.send(new CreateBucketCommand({ Bucket: newBucket() })));
    await refused(writer.send(new DeleteBucketCommand({ Bucket: mine })));
  });

  test('a key with a prefix sees and touches nothing else', async () => {
    const Bucket = await s3.bucket();
    for (const key of ['a/1', 'b/1', 'b/c/2', 'c']) await put(s3.client, Bucket, key);
    const client = s3.clientOf(await s3.credentialsOf({ prefix: 'b/' }));
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket }));
    assert.deepEqual(
      Contents.map(({ Key }) => Key),
      ['b/1', 'b/c/2'],
    );
    const rolled = await client.send(new ListObjectsV2Command({ Bucket, Delimiter: '/' }));
    assert.deepEqual(
      rolled.CommonPrefixes?.map(({ Prefix }) => Prefix),
      ['b/'],
    );
    await put(client, Bucket, 'b/new');
    await rejectsWith(put(client, Bucket, 'a/new'), 'AccessDenied', 403);
    await rejectsWith(client.send(new GetObjectCommand({ Bucket, Key: 'c' })), 'AccessDenied', 403);
    const copy = new CopyObjectCommand({ Bucket, Key: 'b/x', CopySource: `${Bucket}/a/1` });
    await rejectsWith(client.send(copy), 'AccessDenied', 403);
    const Objects = ['a/1', 'b/1'].map((Key) => ({ Key }));
    const { Deleted, Errors } = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
    assert.deepEqual(
      [Deleted?.map(({ Key }) => Key), Errors?.map(({ Code }) => Code)],
      [['b/1'], ['AccessDenied']],
    );
    await s3.client.send(new CreateMultipartUploadCommand({ Bucket, Key: 'a/upload' }));
    assert.equal((await client.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads, undefined);
    await rejectsWith(client.send(new DeleteBucketCommand({ Bucket })), 'AccessDenied', 403);
    await rejectsWith(client.send(new CreateBucketCommand({ Bucket: newBucket() })), 'AccessDenied', 403);
  });

  test('what is not here is said to be absent, and changing it is refused', async () => {
    const Bucket = await s3.bucket();
    await put(s3.client, Bucket, 'k');
    const { client } = s3;
    assert.equal((await client.send(new GetBucketVersioningCommand({ Bucket }))).Status, undefined);
    assert.equal(
      (await client.send(new GetBucketAclCommand({ Bucket }))).Grants?.[0]?.Permission,
      'FULL_CONTROL',
    );
    assert.deepEqual((await client.send(new GetObjectTaggingCommand({ Bucket, Key: 'k' }))).TagSet, []);
    await rejectsWith(client.send(new GetBucketPolicyCommand({ Bucket })), 'NoSuchBucketPolicy', 404);
    await rejectsWith(
      client.send(new GetBucketLifecycleConfigurationCommand({ Bucket })),
      'NoSuchLifecycleConfiguration',
      404,
    );
    const { Versions = [] } = await client.send(new ListObjectVersionsCommand({ Bucket }));
    assert.deepEqual(
      Versions.map(({ Key, VersionId, IsLatest }) => [Key, VersionId, IsLatest]),
      [['k', 'null', true]],
    );
    await put(client, Bucket, 'free');
    const BypassGovernanceRetention = true;
    const Delete = { Objects: [{ Key: 'free', VersionId: 'null' }] };
    const { Deleted } = await client.send(
      new DeleteObjectsCommand({ Bucket, Delete, BypassGovernanceRetention }),
    );
    assert.equal(Deleted?.[0]?.Key, 'free', 'nothing is retained that had to be bypassed');
    await client.send(new PutObjectAclCommand({ Bucket, Key: 'k', ACL: 'private' }));
    const refused = (work: Promise<unknown>) => rejectsWith(work, 'NotImplemented', 501);
    await refused(client.send(new PutObjectAclCommand({ Bucket, Key: 'k', ACL: 'public-read' })));
    await refused(client.send(new PutBucketPolicyCommand({ Bucket, Policy: '{}' })));
    const VersioningConfiguration = { Status: 'Enabled' } as const;
    await refused(client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration })));
    await put(client, Bucket, 'p', { ACL: 'bucket-owner-full-control', StorageClass: 'STANDARD' });
    await refused(put(client, Bucket, 'q', { ACL: 'public-read' }));
    await refused(put(client, Bucket, 'q', { Tagging: 'a=b' }));
    await refused(put(client, Bucket, 'q', { ServerSideEncryption: 'AES256' }));
    await refused(put(client, Bucket, 'q', { StorageClass: 'GLACIER' }));
    await refused(put(client, Bucket, 'q', { WebsiteRedirectLocation: '/x' }));
    await rejectsWith(client.send(new GetObjectCommand({ Bucket, Key: 'q' })), 'NoSuchKey', 404);
    await rejectsWith(
      client.send(new GetObjectCommand({ Bucket, Key: 'k', VersionId: 'abc' })),
      'NoSuchVersion',
      404,
    );
  });

  test('what S3 learns later is refused, and never taken for the plain operation', async () => {
    const Bucket = await s3.bucket();
    const { client } = s3;
    await put(client, Bucket, 'k');
    const signer = new AwsClient({ ...s3.credentials, service: 's3', region: 'us-east-1', retries: 0 });
    const url = `${s3.target.url.origin}/${Bucket}`;
    const answered = async (method: string, path: string, headers: Record<string, string> = {}) => {
      const body = method === 'PUT' && path.startsWith('/') ? 'new' : undefined;
      const answer = await signer.fetch(url + path, { method, headers, ...(body && { body }) });
      return [answer.status, /<Code>(.*)<\/Code>/.exec(await answer.text())?.[1]];
    };
    const refused = [501, 'NotImplemented'];
    for (const path of ['?abac', '?metadataConfiguration', '?of-2030', '/k?annotation', '/k?of-2030']) {
      for (const method of ['PUT', 'POST', 'DELETE'] as const) {
        assert.deepEqual(await answered(method, path), refused, `${method} ${path}`);
      }
    }
    for (const path of ['?abac', '?metadataConfiguration', '/k?annotation&annotationName=a']) {
      assert.deepEqual(await answered('GET', path), refused, path);
    }
    for (const [name, value] of [
      ['x-amz-checksum-sha512', 'AAAA'],
      ['x-amz-checksum-xxhash64', 'AAAA'],
      ['x-amz-if-match-initiated-time', 'Thu, 01 Jan 1970 00:00:00 GMT'],
    ] as const) {
      assert.deepEqual(await answered('PUT', '/k', { [name]: value }), refused, name);
    }
    const made = (more: object) => client.send(new CreateBucketCommand({ Bucket: newBucket(), ...more }));
    await rejectsWith(made({ ObjectOwnership: 'ObjectWriter' }), 'NotImplemented', 501);
    await rejectsWith(made({ BucketNamespace: 'account-regional' }), 'NotImplemented', 501);
    const Tags = [{ Key: 'a', Value: 'b' }];
    await rejectsWith(made({ CreateBucketConfiguration: { Tags } }), 'NotImplemented', 501);
    await made({ ObjectOwnership: 'BucketOwnerEnforced', BucketNamespace: 'global' });
    const { ContentLength } = await client.send(new HeadObjectCommand({ Bucket, Key: 'k' }));
    assert.equal(ContentLength, 1, 'the object is as it was');
    assert.equal(
      (await signer.fetch(`${url}/k?x-id=DeleteObject&as=ever`, { method: 'DELETE' })).status,
      204,
    );
  });
});
