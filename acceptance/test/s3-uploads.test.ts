import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { crc32 } from 'node:zlib';
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { bytesOf, rejectsWith, useS3 } from './support/s3.js';

const mib = 1024 * 1024;
const partBytes = 5 * mib;
const base64 = (sum: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(sum);
  return bytes.toString('base64');
};

describe('multipart uploads over S3', { concurrency: true }, () => {
  const s3 = useS3();

  async function begin(Bucket: string, Key: string, more: object = {}): Promise<string> {
    const { UploadId } = await s3.client.send(new CreateMultipartUploadCommand({ Bucket, Key, ...more }));
    return UploadId as string;
  }
  const sendPart = (
    at: { Bucket: string; Key: string; UploadId: string },
    PartNumber: number,
    Body: Buffer,
  ) => s3.client.send(new UploadPartCommand({ ...at, PartNumber, Body }));
  const complete = (
    at: { Bucket: string; Key: string; UploadId: string },
    Parts: CompletedPart[],
    more: object = {},
  ) => s3.client.send(new CompleteMultipartUploadCommand({ ...at, MultipartUpload: { Parts }, ...more }));

  test('parts in any order, sent again, with gaps in their numbers; the ETag is that of their MD5s', async () => {
    const at = { Bucket: await s3.bucket(), Key: 'big' };
    const UploadId = await begin(at.Bucket, at.Key, { ContentType: 'video/mp4', Metadata: { a: 'b' } });
    const upload = { ...at, UploadId };
    const [first, second, last] = [randomBytes(partBytes), randomBytes(partBytes + 1), randomBytes(10)];
    const parts = new Map<number, string | undefined>();
    for (const [number, bytes] of [
      [9, last],
      [2, randomBytes(partBytes)],
      [5, second],
      [2, first],
      [7, randomBytes(5)],
    ] as const) {
      parts.set(number, (await sendPart(upload, number, bytes)).ETag);
    }
    const { Parts: stored = [], IsTruncated } = await s3.client.send(
      new ListPartsCommand({ ...upload, MaxParts: 3 }),
    );
    assert.deepEqual(
      [stored.map(({ PartNumber, Size }) => [PartNumber, Size]), IsTruncated],
      [
        [
          [2, partBytes],
          [5, partBytes + 1],
          [7, 5],
        ],
        true,
      ],
    );
    const chosen = [2, 5, 9].map((PartNumber) => ({ PartNumber, ETag: parts.get(PartNumber) }));
    await rejectsWith(complete(upload, chosen.toReversed()), 'InvalidPartOrder', 400);
    await rejectsWith(complete(upload, [{ PartNumber: 2, ETag: parts.get(5) }]), 'InvalidPart', 400);
    await rejectsWith(complete(upload, [{ PartNumber: 3, ETag: parts.get(5) }]), 'InvalidPart', 400);
    const small = [2, 7, 9].map((PartNumber) => ({ PartNumber, ETag: parts.get(PartNumber) }));
    await rejectsWith(complete(upload, small), 'EntityTooSmall', 400);
    const md5s = [first, second, last].map((bytes) => createHash('md5').update(bytes).digest());
    const tag = `"${createHash('md5').update(Buffer.concat(md5s)).digest('hex')}-3"`;
    assert.equal((await complete(upload, chosen)).ETag, tag);
    assert.equal((await complete(upload, chosen)).ETag, tag, 'asked again');
    const found = await s3.client.send(new GetObjectCommand(at));
    assert.deepEqual([found.ETag, found.ContentType, found.Metadata], [tag, 'video/mp4', { a: 'b' }]);
    const whole = Buffer.concat([first, second, last]);
    assert.ok((await bytesOf(found.Body)).equals(whole));
    const range = `bytes=${partBytes - 5}-${partBytes + 5}`;
    const ranged = await s3.client.send(new GetObjectCommand({ ...at, Range: range }));
    assert.ok((await bytesOf(ranged.Body)).equals(whole.subarray(partBytes - 5, partBytes + 6)));
    const part = await s3.client.send(new GetObjectCommand({ ...at, PartNumber: 2 }));
    assert.equal(part.PartsCount, 3);
    assert.ok((await bytesOf(part.Body)).equals(second));
    const { ObjectParts } = await s3.client.send(
      new GetObjectAttributesCommand({ ...at, ObjectAttributes: ['ObjectParts'] }),
    );
    assert.equal(ObjectParts?.TotalPartsCount, 3);
    await rejectsWith(s3.client.send(new ListPartsCommand(upload)), 'NoSuchUpload', 404);
  });

  for (const type of ['COMPOSITE', 'FULL_OBJECT'] as const) {
    test(`the ${type} checksum of the parts`, async () => {
      const at = { Bucket: await s3.bucket(), Key: 'sum' };
      const UploadId = await begin(at.Bucket, at.Key, { ChecksumAlgorithm: 'CRC32', ChecksumType: type });
      const upload = { ...at, UploadId };
      const bytes = [randomBytes(partBytes), randomBytes(partBytes + 77), randomBytes(3)];
      const sent = await Promise.all(bytes.map((part, n) => sendPart(upload, n + 1, part)));
      const parts = sent.map(({ ETag, ChecksumCRC32 }, n) => ({ PartNumber: n + 1, ETag, ChecksumCRC32 }));
      assert.deepEqual(
        parts.map(({ ChecksumCRC32 }) => ChecksumCRC32),
        bytes.map((part) => base64(crc32(part))),
      );
      const made = await complete(upload, parts);
      const sums = Buffer.concat(parts.map(({ ChecksumCRC32 = '' }) => Buffer.from(ChecksumCRC32, 'base64')));
      const expected =
        type === 'COMPOSITE' ? `${base64(crc32(sums))}-3` : base64(crc32(Buffer.concat(bytes)));
      assert.deepEqual([made.ChecksumCRC32, made.ChecksumType], [expected, type]);
      const found = await s3.client.send(new GetObjectCommand({ ...at, ChecksumMode: 'ENABLED' }));
      assert.deepEqual([found.ChecksumCRC32, found.ChecksumType], [expected, type]);
      assert.ok((await bytesOf(found.Body)).equals(Buffer.concat(bytes)));
    });
  }

  test('the checksum of the object is compared when it is completed, and each part keeps its own', async () => {
    const Bucket = await s3.bucket();
    const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest();
    for (const [Key, count] of [
      ['one', 1],
      ['two', 2],
    ] as const) {
      const UploadId = await begin(Bucket, Key, { ChecksumAlgorithm: 'SHA256' });
      const upload = { Bucket, Key, UploadId };
      const bodies = [randomBytes(partBytes), randomBytes(100)].slice(-count);
      const sums = bodies.map((bytes) => sha256(bytes).toString('base64'));
      const parts: CompletedPart[] = [];
      for (const [n, Body] of bodies.entries()) {
        const sent = { ...upload, PartNumber: n + 1, Body, ChecksumSHA256: sums[n] };
        const { ETag, ChecksumSHA256 } = await s3.client.send(new UploadPartCommand(sent));
        parts.push({ PartNumber: n + 1, ETag, ChecksumSHA256 });
      }
      const ofObject = `${sha256(Buffer.concat(bodies.map(sha256))).toString('base64')}-${count}`;
      for (const ChecksumSHA256 of ['bad', sums[0], ofObject.replace(/-\d$/, '-9')]) {
        await rejectsWith(complete(upload, parts, { ChecksumSHA256 }), 'BadDigest', 400);
      }
      const made = await complete(upload, parts, { ChecksumSHA256: ofObject });
      assert.equal(made.ChecksumSHA256, ofObject);
      const copied = `${Key} copied`;
      const copy = await s3.api.send('POST', `/v1/${s3.target.project}/${Bucket}/files/copy`, {
        json: { files: [{ from: Key, to: copied }] },
      });
      assert.equal(copy.status, 200, copy.text);
      for (const name of [Key, copied]) {
        for (const [n, body] of bodies.entries()) {
          const part = { Bucket, Key: name, PartNumber: n + 1 };
          const found = await s3.client.send(new GetObjectCommand({ ...part, ChecksumMode: 'ENABLED' }));
          assert.equal(found.ChecksumSHA256, sums[n]);
          assert.equal(found.ChecksumType, 'COMPOSITE');
          assert.ok((await bytesOf(found.Body)).equals(body));
        }
        const about = await s3.client.send(
          new GetObjectAttributesCommand({
            Bucket,
            Key: name,
            ObjectAttributes: ['Checksum', 'ObjectParts'],
          }),
        );
        assert.deepEqual(about.Checksum, { ChecksumSHA256: ofObject, ChecksumType: 'COMPOSITE' });
        assert.deepEqual(
          about.ObjectParts?.Parts?.map(({ PartNumber, Size, ChecksumSHA256 }) => [
            PartNumber,
            Size,
            ChecksumSHA256,
          ]),
          bodies.map(({ length }, n) => [n + 1, length, sums[n]]),
        );
        const beyond = new GetObjectCommand({ Bucket, Key: name, PartNumber: count + 1 });
        await rejectsWith(s3.client.send(beyond), 'InvalidPart', 400);
      }
    }
  });

  test('an empty last part is given without a range, since none can say where it is', async () => {
    const at = { Bucket: await s3.bucket(), Key: 'empty end' };
    const upload = { ...at, UploadId: await begin(at.Bucket, at.Key) };
    const parts: CompletedPart[] = [];
    for (const [n, bytes] of [randomBytes(partBytes), Buffer.alloc(0)].entries())
      parts.push({ PartNumber: n + 1, ETag: (await sendPart(upload, n + 1, bytes)).ETag });
    await complete(upload, parts);
    const part = { ...at, PartNumber: 2 };
    const found = await s3.client.send(new GetObjectCommand(part));
    assert.equal((await bytesOf(found.Body)).length, 0);
    for (const answer of [found, await s3.client.send(new HeadObjectCommand(part))]) {
      assert.deepEqual(
        [answer.$metadata.httpStatusCode, answer.ContentRange, answer.ContentLength, answer.PartsCount],
        [200, undefined, 0, 2],
      );
    }
  });

  test('parts that are copied from another object', async () => {
    const [from, Bucket] = [await s3.bucket(), await s3.bucket()];
    const source = randomBytes(partBytes + 100);
    await s3.client.send(new PutObjectCommand({ Bucket: from, Key: 'a b', Body: source }));
    const upload = { Bucket, Key: 'copy', UploadId: await begin(Bucket, 'copy') };
    const CopySource = `/${from}/a%20b`;
    const copyPart = (PartNumber: number, CopySourceRange?: string) =>
      s3.client.send(new UploadPartCopyCommand({ ...upload, PartNumber, CopySource, CopySourceRange }));
    const first = await copyPart(1);
    const second = await copyPart(2, 'bytes=10-19');
    await rejectsWith(copyPart(3, 'bytes=0-999999999'), 'InvalidRange', 416);
    await rejectsWith(copyPart(3, 'bytes=5'), 'InvalidArgument', 400);
    await complete(
      upload,
      [first, second].map(({ CopyPartResult }, n) => ({ PartNumber: n + 1, ETag: CopyPartResult?.ETag })),
    );
    const found = await s3.client.send(new GetObjectCommand({ Bucket, Key: 'copy' }));
    assert.ok((await bytesOf(found.Body)).equals(Buffer.concat([source, source.subarray(10, 20)])));
  });

  test('a part can be any range of an object, however its bytes are stored', async () => {
    const [from, Bucket] = [await s3.bucket(), await s3.bucket()];
    const Body = randomBytes(2 * mib);
    await s3.client.send(new PutObjectCommand({ Bucket: from, Key: 'source', Body }));
    for (const [first, last] of [
      [1, 300_000],
      [100_000, 2 * mib - 1],
      [mib - 1, mib + 70_000],
    ] as const) {
      const upload = { Bucket, Key: 'copy', UploadId: await begin(Bucket, 'copy') };
      const { CopyPartResult } = await s3.client.send(
        new UploadPartCopyCommand({
          ...upload,
          PartNumber: 1,
          CopySource: `/${from}/source`,
          CopySourceRange: `bytes=${first}-${last}`,
        }),
      );
      await complete(upload, [{ PartNumber: 1, ETag: CopyPartResult?.ETag }]);
      const found = await s3.client.send(new GetObjectCommand({ Bucket, Key: 'copy' }));
      assert.ok((await bytesOf(found.Body)).equals(Body.subarray(first, last + 1)), `${first} to ${last}`);
    }
  });

  test('a part that was sent again and is named twice counts as it is named last', async () => {
    const at = { Bucket: await s3.bucket(), Key: 'again' };
    const upload = { ...at, UploadId: await begin(at.Bucket, at.Key) };
    const parts: CompletedPart[] = [];
    for (const text of ['first', 'second'])
      parts.push({ PartNumber: 1, ETag: (await sendPart(upload, 1, Buffer.from(text))).ETag });
    await rejectsWith(complete(upload, parts.toReversed()), 'InvalidPart', 400);
    await complete(upload, parts);
    const { Body } = await s3.client.send(new GetObjectCommand(at));
    assert.equal((await bytesOf(Body)).toString(), 'second');
  });

  test('an upload that was aborted is gone, and open ones are listed', async () => {
    const Bucket = await s3.bucket();
    const keys = ['a/1', 'a/2', 'b', 'b', 'c'];
    const ids = await Promise.all(keys.map((key) => begin(Bucket, key)));
    const seen: (string | undefined)[] = [];
    let markers: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {};
    do {
      const page = await s3.client.send(
        new ListMultipartUploadsCommand({ Bucket, MaxUploads: 2, ...markers }),
      );
      seen.push(...(page.Uploads ?? []).map(({ UploadId }) => UploadId));
      markers = page.IsTruncated
        ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
        : {};
    } while (markers.KeyMarker !== undefined);
    assert.deepEqual(seen.toSorted(), ids.toSorted());
    const rolled = await s3.client.send(new ListMultipartUploadsCommand({ Bucket, Delimiter: '/' }));
    assert.deepEqual(
      [rolled.CommonPrefixes?.map(({ Prefix }) => Prefix), rolled.Uploads?.map(({ Key }) => Key)],
      [['a/'], ['b', 'b', 'c']],
    );
    const upload = { Bucket, Key: 'c', UploadId: ids[4] as string };
    await s3.client.send(new AbortMultipartUploadCommand(upload));
    await rejectsWith(s3.client.send(new AbortMultipartUploadCommand(upload)), 'NoSuchUpload', 404);
    await rejectsWith(sendPart(upload, 1, randomBytes(5)), 'NoSuchUpload', 404);
    await rejectsWith(complete(upload, [{ PartNumber: 1, ETag: '"x"' }]), 'NoSuchUpload', 404);
  });

  test('a stream of unknown length, by lib-storage', async () => {
    const Bucket = await s3.bucket();
    const chunks = Array.from({ length: 40 }, () => randomBytes(300_000));
    const Body = Readable.from(chunks);
    await new Upload({ client: s3.client, params: { Bucket, Key: 'stream', Body } }).done();
    const found = await s3.client.send(new GetObjectCommand({ Bucket, Key: 'stream' }));
    assert.ok((await bytesOf(found.Body)).equals(Buffer.concat(chunks)));
  });

  test('a part of 64 MiB is streamed', async () => {
    const Bucket = await s3.bucket();
    const upload = { Bucket, Key: 'large', UploadId: await begin(Bucket, 'large') };
    const body = randomBytes(64 * mib);
    const { ETag } = await sendPart(upload, 1, body);
    await complete(upload, [{ PartNumber: 1, ETag }]);
    const Range = `bytes=${50 * mib}-${50 * mib + 99}`;
    const found = await s3.client.send(new GetObjectCommand({ Bucket, Key: 'large', Range }));
    assert.ok((await bytesOf(found.Body)).equals(body.subarray(50 * mib, 50 * mib + 100)));
  });
});
