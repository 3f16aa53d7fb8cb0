import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  type CreateMultipartUploadCommandInput,
  GetObjectAttributesCommand,
  GetObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { dataFlags, runCommand, startServer } from '../../src/server-process.js';
import { bytesOf, openS3, type S3Service } from '../support/s3.js';

const key = 'shop_s3cret-of-the-first';
const partBytes = 5 * 1024 ** 2;

/** Does `work` with a server on a data folder. */
async function serving<T>(folder: string, work: (s3: S3Service) => Promise<T>): Promise<T> {
  const server = await startServer(dataFlags(folder, key));
  const s3 = await openS3({ url: server.url, project: 'shop', key, otherKey: '', close: async () => {} });
  try {
    return await work(s3);
  } finally {
    s3.client.destroy();
    s3.api.close();
    await server.stop();
  }
}

/** A bucket for everything that only S3 writes, an empty one, and one with nothing but the marker of a folder. */
async function fill({ client, api }: S3Service): Promise<void> {
  for (const Bucket of ['photos', 'empty', 'marked']) await client.send(new CreateBucketCommand({ Bucket }));
  const put = (Key: string, Body: string | Buffer, more: object = {}) =>
    client.send(new PutObjectCommand({ Bucket: 'photos', Key, Body, ...more }));
  await put('plain', 'tea');
  await put('none', '', { ChecksumAlgorithm: 'SHA256' });
  await put('large', Buffer.alloc(11 * 1024 ** 2, 'large'), { ChecksumAlgorithm: 'CRC64NVME' });
  await put('about', 'not really gzip', {
    ContentType: 'text/x-tea',
    Metadata: { camera: 'Leica', place: 'Tea room' },
    CacheControl: 'max-age=60',
    ContentDisposition: 'attachment; filename="tea.txt"',
    ContentEncoding: 'gzip',
    ContentLanguage: 'da',
    Expires: new Date(Date.UTC(2040, 1, 1)),
    ChecksumAlgorithm: 'SHA1',
  });
  await put('folder/', '', { Metadata: { mode: '0755' } });
  await put('folder/below/', 'bytes of a marker', { ContentType: 'application/x-directory' });
  await client.send(new PutObjectCommand({ Bucket: 'marked', Key: 'only/', Body: '' }));
  const three = [randomBytes(partBytes), randomBytes(partBytes + 1), Buffer.from('end')];
  for (const type of ['COMPOSITE', 'FULL_OBJECT'] as const) {
    await inParts(client, `parts-${type}`, three, { ChecksumAlgorithm: 'CRC32', ChecksumType: type });
  }
  const sha256 = { ChecksumAlgorithm: 'SHA256' } as const;
  // The file API takes no part of more than 10 MiB.
  await inParts(
    client,
    'parts-large',
    [randomBytes(4 * partBytes + 3), randomBytes(partBytes), Buffer.alloc(0)],
    sha256,
  );
  await inParts(client, 'parts-one', [Buffer.from('one')], sha256);
  await inParts(client, 'parts-one-large', [randomBytes(2 * partBytes + 1)], sha256);
  await inParts(client, 'parts-none', [Buffer.alloc(0)], sha256);
  await inParts(client, 'parts-plain', three, {});
  const answer = await api.send('POST', `/v1/shop/photos/files?name=other.txt`, { body: 'by the other API' });
  assert.equal(answer.status, 201);
}

type AboutParts = Pick<CreateMultipartUploadCommandInput, 'ChecksumAlgorithm' | 'ChecksumType'>;

async function inParts(
  client: S3Client,
  Key: string,
  bodies: readonly Buffer[],
  about: AboutParts,
): Promise<void> {
  const target = { Bucket: 'photos', Key };
  const { ChecksumAlgorithm } = about;
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ ...target, ...about }));
  const Parts = [];
  for (const [n, Body] of bodies.entries()) {
    const sent = { ...target, UploadId, PartNumber: n + 1, Body, ChecksumAlgorithm };
    const { ETag, ChecksumCRC32, ChecksumSHA256 } = await client.send(new UploadPartCommand(sent));
    Parts.push({ PartNumber: n + 1, ETag, ChecksumCRC32, ChecksumSHA256 });
  }
  const end = { ...target, UploadId, MultipartUpload: { Parts } };
  await client.send(new CompleteMultipartUploadCommand(end));
}

/** What S3 clients see, apart from times; the bytes, and those of the second part. */
async function seen({ client }: S3Service): Promise<unknown> {
  const { Buckets = [] } = await client.send(new ListBucketsCommand({}));
  const found: unknown[] = [];
  for (const { Name: Bucket } of Buckets) {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket }));
    found.push([Bucket, Contents.map(({ Key }) => Key)]);
    for (const { Key } of Contents) {
      const asked = { Bucket, Key, ChecksumMode: 'ENABLED' } as const;
      const {
        Body,
        $metadata: _,
        LastModified: _time,
        ...about
      } = await client.send(new GetObjectCommand(asked));
      // A file of the other API has an ETag of its own wherever it is written.
      if (Key === 'other.txt') assert.match(about.ETag ?? '', /^"[0-9a-f]{32}-1"$/);
      const compared = Key === 'other.txt' ? { ...about, ETag: '' } : about;
      found.push([
        Key,
        compared,
        createHash('sha256')
          .update(await bytesOf(Body))
          .digest('hex'),
        Key?.startsWith('parts-') && (await partsSeen(client, { Bucket, Key })),
      ]);
    }
  }
  return found;
}

async function partsSeen(
  client: S3Client,
  at: { Bucket: string | undefined; Key: string },
): Promise<unknown> {
  const about = await client.send(
    new GetObjectAttributesCommand({ ...at, ObjectAttributes: ['Checksum', 'ObjectParts'] }),
  );
  const count = about.ObjectParts?.TotalPartsCount ?? 0;
  const part = { ...at, PartNumber: Math.min(2, count), ChecksumMode: 'ENABLED' } as const;
  const { Body, ETag, ContentLength, PartsCount, ChecksumCRC32, ChecksumSHA256 } = await client.send(
    new GetObjectCommand(part),
  );
  const digest = createHash('sha256').update(await bytesOf(Body));
  const ofPart = {
    ETag,
    ContentLength,
    PartsCount,
    ChecksumCRC32,
    ChecksumSHA256,
    sha256: digest.digest('hex'),
  };
  return { checksum: about.Checksum, parts: about.ObjectParts, ofPart };
}

test('what S3 stores survives export and import, copy, backup and restore', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-one-truth-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const at = (name: string) => join(folder, name);
  const original = await serving(at('from'), async (s3) => {
    await fill(s3);
    return await seen(s3);
  });
  const stored = ['--data', at('from')];
  await runCommand(['export', at('export'), '--project', 'shop', ...stored]);
  await runCommand(['export', at('export.zip'), '--project', 'shop', ...stored]);
  await runCommand(['backup', at('backups'), ...stored]);
  for (const archive of ['export', 'export.zip']) {
    const to = at(`imported-${archive}`);
    await serving(to, async () => {});
    await runCommand(['import', at(archive), '--project', 'shop', '--data', to]);
    assert.deepEqual(await serving(to, seen), original, archive);
    // It can be run again, and finds that everything is there.
    const again = await runCommand(['import', at(archive), '--project', 'shop', '--data', to, '--json']);
    const { files, filesKept, setAside } = JSON.parse(again) as Record<string, unknown>;
    assert.deepEqual([files, filesKept, setAside], [0, 15, []]);
  }
  await runCommand(['copy', '--from', at('from'), '--to', at('copy')]);
  assert.deepEqual(await serving(at('copy'), seen), original, 'copy');
  await runCommand(['restore', at('backups'), '--data', at('restored')]);
  assert.deepEqual(await serving(at('restored'), seen), original, 'restore');
});
