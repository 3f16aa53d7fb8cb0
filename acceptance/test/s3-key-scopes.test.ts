import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketLocationCommand,
  GetBucketVersioningCommand,
  GetObjectAclCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListMultipartUploadsCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  ListPartsCommand,
  PutObjectAclCommand,
  PutObjectCommand,
  type S3Client,
  S3ServiceException,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { useS3 } from './support/s3.js';

type Access = 'read' | 'write' | 'full';
const ranks: Readonly<Record<Access, number>> = { read: 0, write: 1, full: 2 };

/** What an operation is asked for: an object and an upload that are there, in a bucket that is. */
interface Asked {
  readonly Bucket: string;
  readonly Key: string;
  readonly UploadId: string;
  readonly CopySource: string;
}

interface Operation {
  readonly name: string;
  readonly needs: Access;
  /** Whether its keys are compared with the prefix; `whole`: it is about all of the bucket. */
  readonly prefix: 'compared' | 'whole' | 'narrowed';
  readonly send: (client: S3Client, asked: Asked) => Promise<unknown>;
}

function operation(
  name: string,
  needs: Access,
  prefix: Operation['prefix'],
  send: Operation['send'],
): Operation {
  return { name, needs, prefix, send };
}

const part = { PartNumber: 1 };
const bucketOf = ({ Bucket }: Asked) => ({ Bucket });
const objectOf = ({ Bucket, Key }: Asked) => ({ Bucket, Key });
const uploadOf = ({ Bucket, Key, UploadId }: Asked) => ({ Bucket, Key, UploadId });

/** Every operation, those that destroy what the others need at the end. */
const operations: readonly Operation[] = [
  operation('HeadBucket', 'read', 'narrowed', (s3, a) => s3.send(new HeadBucketCommand(bucketOf(a)))),
  operation('GetBucketLocation', 'read', 'narrowed', (s3, a) =>
    s3.send(new GetBucketLocationCommand(bucketOf(a))),
  ),
  operation('GetBucketVersioning', 'read', 'narrowed', (s3, a) =>
    s3.send(new GetBucketVersioningCommand(bucketOf(a))),
  ),
  operation('ListObjects', 'read', 'narrowed', (s3, a) => s3.send(new ListObjectsCommand(bucketOf(a)))),
  operation('ListObjectsV2', 'read', 'narrowed', (s3, a) => s3.send(new ListObjectsV2Command(bucketOf(a)))),
  operation('ListObjectVersions', 'read', 'narrowed', (s3, a) =>
    s3.send(new ListObjectVersionsCommand(bucketOf(a))),
  ),
  operation('GetObject', 'read', 'compared', (s3, a) => s3.send(new GetObjectCommand(objectOf(a)))),
  operation('HeadObject', 'read', 'compared', (s3, a) => s3.send(new HeadObjectCommand(objectOf(a)))),
  operation('GetObjectAcl', 'read', 'compared', (s3, a) => s3.send(new GetObjectAclCommand(objectOf(a)))),
  operation('GetObjectAttributes', 'read', 'compared', (s3, a) =>
    s3.send(new GetObjectAttributesCommand({ ...objectOf(a), ObjectAttributes: ['ETag'] })),
  ),
  operation('PutObjectAcl', 'write', 'compared', (s3, a) =>
    s3.send(new PutObjectAclCommand({ ...objectOf(a), ACL: 'private' })),
  ),
  operation('PutObject', 'write', 'compared', (s3, a) =>
    s3.send(new PutObjectCommand({ ...objectOf(a), Body: 'new' })),
  ),
  operation('CopyObject', 'write', 'compared', (s3, a) =>
    s3.send(new CopyObjectCommand({ Bucket: a.Bucket, Key: `${a.Key}-copy`, CopySource: a.CopySource })),
  ),
  operation('CreateMultipartUpload', 'write', 'compared', (s3, a) =>
    s3.send(new CreateMultipartUploadCommand(objectOf(a))),
  ),
  operation('ListMultipartUploads', 'write', 'narrowed', (s3, a) =>
    s3.send(new ListMultipartUploadsCommand(bucketOf(a))),
  ),
  operation('UploadPart', 'write', 'compared', (s3, a) =>
    s3.send(new UploadPartCommand({ ...uploadOf(a), ...part, Body: 'part' })),
  ),
  operation('UploadPartCopy', 'write', 'compared', (s3, a) =>
    s3.send(new UploadPartCopyCommand({ ...uploadOf(a), ...part, CopySource: a.CopySource })),
  ),
  operation('ListParts', 'write', 'compared', (s3, a) => s3.send(new ListPartsCommand(uploadOf(a)))),
  operation('CompleteMultipartUpload', 'write', 'compared', async (s3, a) => {
    // Whoever may not do it is told so whatever parts there are.
    const Parts = [{ PartNumber: 1, ETag: '"0"' }];
    await s3.send(new CompleteMultipartUploadCommand({ ...uploadOf(a), MultipartUpload: { Parts } }));
  }),
  operation('AbortMultipartUpload', 'write', 'compared', (s3, a) =>
    s3.send(new AbortMultipartUploadCommand(uploadOf(a))),
  ),
  operation('DeleteObjects', 'write', 'compared', async (s3, a) => {
    const Delete = { Objects: [{ Key: a.Key }] };
    const { Errors = [] } = await s3.send(new DeleteObjectsCommand({ Bucket: a.Bucket, Delete }));
    const [error] = Errors;
    if (error !== undefined) throw new Refused(error.Code ?? '');
  }),
  operation('DeleteObject', 'write', 'compared', (s3, a) => s3.send(new DeleteObjectCommand(objectOf(a)))),
  operation('CreateBucket', 'write', 'whole', (s3, a) => s3.send(new CreateBucketCommand(bucketOf(a)))),
  operation('DeleteBucket', 'full', 'whole', (s3, a) => s3.send(new DeleteBucketCommand(bucketOf(a)))),
];

/** What DeleteObjects says of a single key. */
class Refused extends Error {
  constructor(override readonly name: string) {
    super(name);
  }
}

describe('what a key with limits may do over S3', { concurrency: true }, () => {
  const s3 = useS3();

  async function place(Bucket: string, Key: string): Promise<Asked> {
    await s3.client.send(new PutObjectCommand({ Bucket, Key, Body: 'there' }));
    const { UploadId = '' } = await s3.client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
    return { Bucket, Key, UploadId, CopySource: `${Bucket}/${Key}` };
  }

  /** Whether the key may do it: it is done, or refused for another reason than the key. */
  async function mayDo({ name, send }: Operation, client: S3Client, asked: Asked): Promise<boolean> {
    try {
      await send(client, asked);
      return true;
    } catch (cause) {
      assert.ok(cause instanceof S3ServiceException || cause instanceof Refused, `${name}: ${cause}`);
      // The answer to a HEAD has no body that could say it.
      const isRefused = cause.name === 'AccessDenied' || cause.name === '403';
      const isHead = name.startsWith('Head') && cause instanceof S3ServiceException;
      return !isRefused && !(isHead && cause.$metadata.httpStatusCode === 403);
    }
  }

  for (const access of ['read', 'write', 'full'] as const) {
    for (const prefix of [undefined, 'mine/']) {
      test(`${access}${prefix ? ` below ${prefix}` : ''}: each operation, in its drive and in another`, async () => {
        const [own, other] = [await s3.bucket(), await s3.bucket()];
        const limits = { access, drives: [own], ...(prefix && { prefix }) };
        const client = s3.clientOf(await s3.credentialsOf(limits));
        const inside = await place(own, 'mine/a');
        const outside = await place(own, 'others/a');
        const elsewhere = await place(other, 'mine/a');
        for (const one of operations) {
          const isEnough = ranks[access] >= ranks[one.needs];
          const isWhole = one.prefix === 'whole' && prefix !== undefined;
          const isBeyond = one.prefix === 'compared' && prefix !== undefined;
          assert.equal(await mayDo(one, client, elsewhere), false, `${one.name} in another drive`);
          assert.equal(
            await mayDo(one, client, outside),
            isEnough && !isWhole && !isBeyond,
            `${one.name} outside`,
          );
          assert.equal(await mayDo(one, client, inside), isEnough && !isWhole, `${one.name} inside`);
        }
        for (const [Bucket, Key] of [
          [own, outside.Key],
          [other, elsewhere.Key],
        ] as const) {
          if (Bucket === own && prefix === undefined && access !== 'read') continue;
          const { ContentLength } = await s3.client.send(new HeadObjectCommand({ Bucket, Key }));
          assert.equal(ContentLength, 'there'.length, 'what it may not touch is as it was');
        }
        client.destroy();
      });
    }
  }

  test('a key with a prefix lists the buckets in which it sees something, as List Drives does', async () => {
    const [mine, marked, others, empty] = [
      await s3.bucket(),
      await s3.bucket(),
      await s3.bucket(),
      await s3.bucket(),
    ];
    await place(mine, 'mine/a');
    await s3.client.send(new PutObjectCommand({ Bucket: marked, Key: 'mine/folder/', Body: '' }));
    await place(others, 'others/a');
    const limits = { access: 'read', prefix: 'mine/', drives: [mine, marked, others, empty] };
    const credentials = await s3.credentialsOf(limits);
    const client = s3.clientOf(credentials);
    const { Buckets = [] } = await client.send(new ListBucketsCommand({}));
    const names = Buckets.map(({ Name }) => Name);
    assert.deepEqual(names, [mine, marked].sort());
    const reply = await s3.api.send('GET', `/v1/${s3.target.project}/drives`, { key: credentials.key });
    assert.deepEqual(reply.json<{ drives: string[] }>().drives, names);
    client.destroy();
  });
});
