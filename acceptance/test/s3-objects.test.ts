import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import {
  type BucketLocationConstraint,
  type ChecksumAlgorithm,
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketLocationCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { bytesOf, newBucket, rejectsWith, useS3 } from './support/s3.js';

const md5Of = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex');

describe('objects over S3', { concurrency: true }, () => {
  const s3 = useS3();
  const put = (Bucket: string, Key: string, Body: Buffer | string = Buffer.alloc(0), more: object = {}) =>
    s3.client.send(new PutObjectCommand({ Bucket, Key, Body, ...more }));
  const get = async (Bucket: string, Key: string, more: object = {}) => {
    const found = await s3.client.send(new GetObjectCommand({ Bucket, Key, ...more }));
    return { ...found, bytes: await bytesOf(found.Body) };
  };
  const namesIn = async (Bucket: string, more: object = {}) => {
    const { Contents = [], CommonPrefixes = [] } = await s3.client.send(
      new ListObjectsV2Command({ Bucket, ...more }),
    );
    return [Contents.map(({ Key }) => Key), CommonPrefixes.map(({ Prefix }) => Prefix)];
  };

  test('an empty bucket is there until it is deleted', async () => {
    const Bucket = newBucket();
    await rejectsWith(s3.client.send(new ListObjectsV2Command({ Bucket })), 'NoSuchBucket', 404);
    await s3.client.send(new CreateBucketCommand({ Bucket }));
    await s3.client.send(new CreateBucketCommand({ Bucket }));
    await s3.client.send(new HeadBucketCommand({ Bucket }));
    const { Buckets = [] } = await s3.client.send(new ListBucketsCommand({}));
    assert.ok(Buckets.some(({ Name }) => Name === Bucket));
    assert.equal(
      (await s3.client.send(new GetBucketLocationCommand({ Bucket }))).LocationConstraint,
      undefined,
    );
    await put(Bucket, 'a');
    await rejectsWith(s3.client.send(new DeleteBucketCommand({ Bucket })), 'BucketNotEmpty', 409);
    await s3.client.send(new DeleteObjectCommand({ Bucket, Key: 'a' }));
    await s3.client.send(new HeadBucketCommand({ Bucket }));
    await s3.client.send(new DeleteBucketCommand({ Bucket }));
    await rejectsWith(s3.client.send(new DeleteBucketCommand({ Bucket })), 'NoSuchBucket', 404);
    await rejectsWith(put(Bucket, 'a'), 'NoSuchBucket', 404);
  });

  test('a bucket is where it was made to be', async () => {
    const Bucket = newBucket();
    const made = (LocationConstraint: BucketLocationConstraint) =>
      s3.client.send(new CreateBucketCommand({ Bucket, CreateBucketConfiguration: { LocationConstraint } }));
    const places = async () => [
      (await s3.client.send(new GetBucketLocationCommand({ Bucket }))).LocationConstraint,
      (await s3.client.send(new HeadBucketCommand({ Bucket }))).BucketRegion,
    ];
    await rejectsWith(made('nowhere else' as 'eu-west-1'), 'InvalidLocationConstraint', 400);
    await made('eu-central-1');
    assert.deepEqual(await places(), ['eu-central-1', 'eu-central-1']);
    await made('eu-west-1');
    assert.deepEqual(await places(), ['eu-central-1', 'eu-central-1']);
    await s3.client.send(new DeleteBucketCommand({ Bucket }));
    await s3.client.send(new CreateBucketCommand({ Bucket }));
    assert.deepEqual(await places(), [undefined, 'us-east-1']);
  });

  test('bucket names are those of AWS', async () => {
    for (const name of [
      'q7',
      'Upper',
      'under_score',
      'two..dots',
      '-begin',
      'end-',
      '192.168.5.4',
      'x'.repeat(64),
    ]) {
      await rejectsWith(s3.client.send(new CreateBucketCommand({ Bucket: name })), 'InvalidBucketName', 400);
    }
  });

  for (const size of [0, 1, 16 * 1024, 16 * 1024 + 1, 300_000, 12_000_000]) {
    test(`${size} bytes come back as they were put, with their MD5 as ETag`, async () => {
      const Bucket = await s3.bucket();
      const bytes = randomBytes(size);
      const { ETag } = await put(Bucket, 'a/b c+ü%2F.bin', bytes);
      assert.equal(ETag, `"${md5Of(bytes)}"`);
      const { bytes: found, ...about } = await get(Bucket, 'a/b c+ü%2F.bin');
      assert.ok(found.equals(bytes));
      assert.deepEqual([about.ETag, about.ContentLength], [ETag, size]);
      const head = await s3.client.send(new HeadObjectCommand({ Bucket, Key: 'a/b c+ü%2F.bin' }));
      assert.deepEqual([head.ETag, head.ContentLength], [ETag, size]);
    });
  }

  test('a stream of unknown length, in signed or unsigned chunks with a trailer', async () => {
    const Bucket = await s3.bucket();
    const bytes = randomBytes(700_001);
    const body = Readable.from([bytes.subarray(0, 300_000), bytes.subarray(300_000)]);
    await s3.client.send(new PutObjectCommand({ Bucket, Key: 's', Body: body, ContentLength: bytes.length }));
    assert.ok((await get(Bucket, 's')).bytes.equals(bytes));
  });

  for (const algorithm of ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const) {
    test(`a ${algorithm} is verified, kept and given back`, async () => {
      const Bucket = await s3.bucket();
      const bytes = randomBytes(100_000);
      const made = await put(Bucket, 'a', bytes, {
        ChecksumAlgorithm: algorithm satisfies ChecksumAlgorithm,
      });
      const name = `Checksum${algorithm}` as const;
      assert.ok(made[name]);
      const found = await get(Bucket, 'a', { ChecksumMode: 'ENABLED' });
      assert.equal(found[name], made[name]);
      assert.ok(found.bytes.equals(bytes));
      const wrong = Buffer.from(made[name] as string, 'base64');
      wrong.writeUInt8(wrong.readUInt8(0) ^ 1, 0);
      await rejectsWith(put(Bucket, 'b', bytes, { [name]: wrong.toString('base64') }), 'BadDigest', 400);
      await rejectsWith(get(Bucket, 'b'), 'NoSuchKey', 404);
      const attributes = new GetObjectAttributesCommand({
        Bucket,
        Key: 'a',
        ObjectAttributes: ['Checksum', 'ObjectSize', 'ETag'],
      });
      const { Checksum, ObjectSize, ETag } = await s3.client.send(attributes);
      assert.deepEqual([Checksum?.[name], ObjectSize, ETag], [made[name], bytes.length, md5Of(bytes)]);
    });
  }

  test('Content-MD5 is compared', async () => {
    const Bucket = await s3.bucket();
    const good = createHash('md5').update('x').digest('base64');
    await put(Bucket, 'a', 'x', { ContentMD5: good });
    await rejectsWith(put(Bucket, 'a', 'y', { ContentMD5: good }), 'BadDigest', 400);
    await rejectsWith(put(Bucket, 'a', 'x', { ContentMD5: 'YWJj' }), 'InvalidDigest', 400);
  });

  test('what is given with the bytes comes back, and may be asked for otherwise', async () => {
    const Bucket = await s3.bucket();
    const about = {
      ContentType: 'text/plain; charset=utf-8',
      CacheControl: 'max-age=60',
      ContentDisposition: 'attachment; filename="a.txt"',
      ContentEncoding: 'identity',
      ContentLanguage: 'de',
      Metadata: { camera: 'Leica', 'with-dash': 'a, b' },
    };
    await put(Bucket, 'a', 'x', { ...about, Expires: new Date(Date.UTC(2030, 0, 1)) });
    const found = await get(Bucket, 'a');
    for (const [name, value] of Object.entries(about))
      assert.deepEqual(found[name as keyof typeof about], value, name);
    assert.equal(found.ExpiresString, 'Tue, 01 Jan 2030 00:00:00 GMT');
    const asked = await get(Bucket, 'a', {
      ResponseContentType: 'image/png',
      ResponseCacheControl: 'no-cache',
    });
    assert.deepEqual([asked.ContentType, asked.CacheControl], ['image/png', 'no-cache']);
    await rejectsWith(put(Bucket, 'b', 'x', { Metadata: { a: 'x'.repeat(2048) } }), 'MetadataTooLarge', 400);
  });

  /** docs/s3.md#caches: a cache that goes by the path would give the object to all who ask for something else. */
  test('no cache may keep an object at a path at which the service has something else', async () => {
    const [Key, kept] = ['p/d/page.js', { CacheControl: 'public, max-age=60', Expires: new Date() }];
    const found: Record<string, readonly (string | undefined)[]> = {};
    for (const Bucket of ['public', 'links', await s3.bucket()]) {
      await s3.client.send(new CreateBucketCommand({ Bucket }));
      await put(Bucket, Key, 'x', kept);
      const { CacheControl, ExpiresString } = await get(Bucket, Key);
      const asked = await get(Bucket, Key, { ResponseCacheControl: 'public' });
      const { CacheControl: ofHead } = await s3.client.send(new HeadObjectCommand({ Bucket, Key }));
      found[Bucket] = [CacheControl, asked.CacheControl, ofHead, ExpiresString && 'with Expires'];
      await s3.client.send(new DeleteObjectCommand({ Bucket, Key }));
    }
    const { public: ofPublic, links, ...others } = found;
    const none = 'private, no-store';
    assert.deepEqual(ofPublic, [none, none, none, undefined]);
    // The path of a link has two parts.
    const asGiven = [kept.CacheControl, 'public', kept.CacheControl, 'with Expires'];
    assert.deepEqual([links, ...Object.values(others)], [asGiven, asGiven]);
  });

  test('ranges', async () => {
    const Bucket = await s3.bucket();
    const bytes = randomBytes(600_000);
    await put(Bucket, 'a', bytes);
    for (const [Range, from, to] of [
      ['bytes=0-0', 0, 0],
      ['bytes=5-', 5, 599_999],
      ['bytes=-7', 599_993, 599_999],
      ['bytes=262100-262200', 262_100, 262_200],
    ] as const) {
      const found = await get(Bucket, 'a', { Range });
      assert.equal(found.ContentRange, `bytes ${from}-${to}/600000`);
      assert.ok(found.bytes.equals(bytes.subarray(from, to + 1)));
    }
    await rejectsWith(get(Bucket, 'a', { Range: 'bytes=600000-' }), 'InvalidRange', 416);
    await put(Bucket, 'empty');
    await rejectsWith(get(Bucket, 'empty', { Range: 'bytes=0-1' }), 'InvalidRange', 416);
  });

  test('conditions of reads', async () => {
    const Bucket = await s3.bucket();
    const { ETag } = await put(Bucket, 'a', 'x');
    assert.equal((await get(Bucket, 'a', { IfMatch: ETag })).ETag, ETag);
    await rejectsWith(get(Bucket, 'a', { IfMatch: '"other"' }), 'PreconditionFailed', 412);
    await assert.rejects(
      get(Bucket, 'a', { IfNoneMatch: ETag }),
      (cause) => cause instanceof S3ServiceException && cause.$metadata.httpStatusCode === 304,
    );
    assert.equal((await get(Bucket, 'a', { IfNoneMatch: '"other"' })).ETag, ETag);
    const before = new Date(Date.now() - 3_600_000);
    assert.equal((await get(Bucket, 'a', { IfModifiedSince: before })).ETag, ETag);
    await rejectsWith(get(Bucket, 'a', { IfUnmodifiedSince: before }), 'PreconditionFailed', 412);
  });

  test('conditions of writes', async () => {
    const Bucket = await s3.bucket();
    await rejectsWith(put(Bucket, 'a', '0', { IfMatch: '"x"' }), 'NoSuchKey', 404);
    // As the suite of today and AWS. Earlier versions of the suite ask for 412.
    await rejectsWith(put(Bucket, 'a', '0', { IfMatch: '*' }), 'NoSuchKey', 404);
    const { ETag } = await put(Bucket, 'a', '1', { IfNoneMatch: '*' });
    await rejectsWith(put(Bucket, 'a', '2', { IfNoneMatch: '*' }), 'PreconditionFailed', 412);
    for (const tag of ['"x"', '"a,*,b"', '"*"'])
      await rejectsWith(put(Bucket, 'a', '2', { IfMatch: tag }), 'PreconditionFailed', 412);
    await rejectsWith(put(Bucket, 'a', '2', { IfNoneMatch: ETag }), 'PreconditionFailed', 412);
    assert.equal((await get(Bucket, 'a')).bytes.toString(), '1');
    await put(Bucket, 'a', '1', { IfNoneMatch: '"other"' });
    await put(Bucket, 'a', '2', { IfMatch: ETag });
    await put(Bucket, 'a', '3', { IfMatch: '*' });
  });

  test('conditions of deletes', async () => {
    const Bucket = await s3.bucket();
    const one = (more: object) => s3.client.send(new DeleteObjectCommand({ Bucket, Key: 'a', ...more }));
    const many = async (more: object) => {
      const Delete = { Objects: [{ Key: 'a', ...more }] };
      const { Errors = [] } = await s3.client.send(new DeleteObjectsCommand({ Bucket, Delete }));
      return Errors.map(({ Code }) => Code);
    };
    const { ETag: earlier } = await put(Bucket, 'a', 'earlier');
    const long = new Date(Date.UTC(2015, 0, 1));
    for (const [isOne, bad, good] of [
      [true, { IfMatch: earlier }, { IfMatch: 'tag' }],
      [true, { IfMatchSize: 9 }, { IfMatchSize: 3 }],
      [true, { IfMatchLastModifiedTime: long }, { IfMatchLastModifiedTime: 'time' }],
      [false, { ETag: earlier }, { ETag: 'tag' }],
      [false, { Size: 9 }, { Size: 3 }],
      [false, { LastModifiedTime: long }, { LastModifiedTime: 'time' }],
    ] as const) {
      const { ETag } = await put(Bucket, 'a', 'now');
      const { LastModified } = await get(Bucket, 'a');
      const [[name, value] = []] = Object.entries(good);
      const met = { [name as string]: { tag: ETag, time: LastModified }[value as string] ?? value };
      if (isOne) {
        await rejectsWith(one(bad), 'PreconditionFailed', 412);
        assert.equal((await get(Bucket, 'a')).bytes.toString(), 'now');
        await one(met);
        await rejectsWith(get(Bucket, 'a'), 'NoSuchKey', 404);
        // What is not there is deleted already.
        await one(bad);
      } else {
        assert.deepEqual(await many(bad), ['PreconditionFailed']);
        assert.equal((await get(Bucket, 'a')).bytes.toString(), 'now');
        assert.deepEqual(await many(met), []);
        await rejectsWith(get(Bucket, 'a'), 'NoSuchKey', 404);
        assert.deepEqual(await many(bad), []);
      }
    }
    const { ETag } = await put(Bucket, 'a', 'x');
    await rejectsWith(one({ IfMatch: ETag, IfMatchSize: 9 }), 'PreconditionFailed', 412);
    await one({ IfMatch: '*' });
  });

  test('lists: prefixes, delimiters, markers that exist or not, pages', async () => {
    const Bucket = await s3.bucket();
    const keys = ['a', 'b/', 'b/1', 'b/2', 'b/c/3', 'b0', 'd e/+', 'é', '漢/x', '😀'];
    await Promise.all(keys.map((key) => put(Bucket, key)));
    const ordered = keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    assert.deepEqual(await namesIn(Bucket), [ordered, []]);
    assert.deepEqual(await namesIn(Bucket, { Delimiter: '/' }), [
      ['a', 'b0', 'é', '😀'],
      ['b/', 'd e/', '漢/'],
    ]);
    assert.deepEqual(await namesIn(Bucket, { Delimiter: '/', Prefix: 'b/' }), [
      ['b/', 'b/1', 'b/2'],
      ['b/c/'],
    ]);
    assert.deepEqual(await namesIn(Bucket, { Delimiter: '0' }), [
      ordered.filter((key) => key !== 'b0'),
      ['b0'],
    ]);
    assert.deepEqual(await namesIn(Bucket, { StartAfter: 'b/15' }), [
      ordered.filter((key) => !['a', 'b/', 'b/1'].includes(key)),
      [],
    ]);
    assert.deepEqual(await namesIn(Bucket, { StartAfter: '\u{10ffff}' }), [[], []]);
    const begun = await s3.client.send(new ListObjectsV2Command({ Bucket, ContinuationToken: '' }));
    assert.deepEqual([begun.ContinuationToken, begun.KeyCount], ['', keys.length]);
    assert.deepEqual(await namesIn(Bucket, { EncodingType: 'url', Prefix: 'd' }), [['d%20e/%2B'], []]);
    for (const Delimiter of [undefined, '/', 'b', '0']) {
      for (const MaxKeys of [1, 2, 3]) {
        const found: (string | undefined)[] = [];
        let ContinuationToken: string | undefined;
        do {
          const page = await s3.client.send(
            new ListObjectsV2Command({ Bucket, Delimiter, MaxKeys, ContinuationToken }),
          );
          assert.ok((page.KeyCount ?? 0) <= MaxKeys);
          found.push(
            ...(page.Contents ?? []).map(({ Key }) => Key),
            ...(page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix),
          );
          ContinuationToken = page.NextContinuationToken;
          assert.equal(page.IsTruncated, ContinuationToken !== undefined);
        } while (ContinuationToken !== undefined);
        const [names = [], prefixes = []] = await namesIn(Bucket, { Delimiter });
        assert.deepEqual(found.toSorted(), [...names, ...prefixes].toSorted(), `${Delimiter} ${MaxKeys}`);
        let Marker: string | undefined;
        const first: (string | undefined)[] = [];
        do {
          const page = await s3.client.send(new ListObjectsCommand({ Bucket, Delimiter, MaxKeys, Marker }));
          first.push(
            ...(page.Contents ?? []).map(({ Key }) => Key),
            ...(page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix),
          );
          Marker = page.IsTruncated ? (page.NextMarker ?? first.at(-1)) : undefined;
        } while (Marker !== undefined);
        assert.deepEqual(first.toSorted(), found.toSorted());
      }
    }
  });

  test('the first list gives a prefix as clients read it that decode it, and as those that do not', async () => {
    const Bucket = await s3.bucket();
    await put(Bucket, 'a\u3042 b/1');
    for (const [Prefix, written] of [
      ['a\u3042 b/', 'a\u3042 b/'],
      ['a\nb', 'a\nb'],
      ['a+b', 'a%2Bb'],
      ['a%20', 'a%2520'],
      ['\u0001', '%01'],
    ] as const) {
      const page = await s3.client.send(new ListObjectsCommand({ Bucket, Prefix, EncodingType: 'url' }));
      assert.deepEqual([page.Prefix, decodeURIComponent(page.Prefix ?? '')], [written, Prefix]);
    }
  });

  test('a key that no object can have is said to be none, whatever is asked of it', async () => {
    const Bucket = await s3.bucket();
    for (const [Key, code] of [
      ['\u00ae\u008a-', 'InvalidURI'],
      ['a\nb', 'InvalidURI'],
      [' ', 'InvalidURI'],
      ['x'.repeat(1025), 'KeyTooLongError'],
    ] as const) {
      await rejectsWith(get(Bucket, Key), code, 400);
      await assert.rejects(s3.client.send(new HeadObjectCommand({ Bucket, Key })), (cause) => {
        assert.ok(cause instanceof S3ServiceException);
        return cause.$metadata.httpStatusCode === 400;
      });
      await rejectsWith(put(Bucket, Key), code === 'InvalidURI' ? 'InvalidArgument' : code, 400);
    }
  });

  test('many are deleted at once, and each bad one is named', async () => {
    const Bucket = await s3.bucket();
    const keys = Array.from({ length: 30 }, (_, n) => `k/${n} <&>`);
    await Promise.all(keys.map((key) => put(Bucket, key)));
    const Objects = [...keys.slice(1), 'never-there', 'x'.repeat(1025)].map((Key) => ({ Key }));
    const { Deleted = [], Errors = [] } = await s3.client.send(
      new DeleteObjectsCommand({ Bucket, Delete: { Objects } }),
    );
    assert.deepEqual(
      Deleted.map(({ Key }) => Key),
      [...keys.slice(1), 'never-there'],
    );
    assert.deepEqual(
      Errors.map(({ Code }) => Code),
      ['KeyTooLongError'],
    );
    assert.deepEqual(await namesIn(Bucket), [[keys[0]], []]);
    const quiet = { Objects: [{ Key: keys[0] as string }], Quiet: true };
    assert.equal(
      (await s3.client.send(new DeleteObjectsCommand({ Bucket, Delete: quiet }))).Deleted,
      undefined,
    );
    const tooMany = Array.from({ length: 1001 }, (_, n) => ({ Key: String(n) }));
    await rejectsWith(
      s3.client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: tooMany } })),
      'MalformedXML',
      400,
    );
  });

  test('copies, between buckets and with other metadata', async () => {
    const [from, to] = [await s3.bucket(), await s3.bucket()];
    const bytes = randomBytes(400_000);
    const { ETag } = await put(from, 'a ü', bytes, { Metadata: { a: '1' }, ContentType: 'image/png' });
    const copy = (Key: string, more: object = {}) =>
      s3.client.send(
        new CopyObjectCommand({
          Bucket: to,
          Key,
          CopySource: `${from}/${encodeURIComponent('a ü')}`,
          ...more,
        }),
      );
    assert.equal((await copy('b')).CopyObjectResult?.ETag, ETag);
    const found = await get(to, 'b');
    assert.deepEqual([found.Metadata, found.ContentType], [{ a: '1' }, 'image/png']);
    assert.ok(found.bytes.equals(bytes));
    await copy('c', { MetadataDirective: 'REPLACE', Metadata: { b: '2' }, ContentType: 'text/css' });
    const replaced = await get(to, 'c');
    assert.deepEqual([replaced.Metadata, replaced.ContentType], [{ b: '2' }, 'text/css']);
    await rejectsWith(copy('d', { CopySourceIfMatch: '"x"' }), 'PreconditionFailed', 412);
    await rejectsWith(copy('d', { CopySource: `${from}/none` }), 'NoSuchKey', 404);
    const itself = { Bucket: from, Key: 'a ü', CopySource: `${from}/${encodeURIComponent('a ü')}` };
    await rejectsWith(s3.client.send(new CopyObjectCommand(itself)), 'InvalidRequest', 400);
    await s3.client.send(
      new CopyObjectCommand({ ...itself, MetadataDirective: 'REPLACE', Metadata: { z: '9' } }),
    );
    assert.deepEqual((await get(from, 'a ü')).Metadata, { z: '9' });
  });

  test('the file API and S3 have the same files at the same moment', async () => {
    const Bucket = await s3.bucket();
    const root = `/v1/${s3.target.project}/${Bucket}`;
    await put(Bucket, 'from-s3', 'one', { Metadata: { a: 'b' }, ContentType: 'text/css' });
    await put(Bucket, 'folder/');
    const read = await s3.api.send('GET', `${root}/files/download?name=from-s3`);
    assert.deepEqual(
      [read.text, read.headers['x-meta-a'], read.headers['content-type']],
      ['one', 'b', 'text/css'],
    );
    await s3.api.send('POST', `${root}/files?name=from-api`, { body: 'two', headers: { 'X-Meta-c': 'd' } });
    const found = await get(Bucket, 'from-api');
    assert.deepEqual([found.bytes.toString(), found.Metadata], ['two', { c: 'd' }]);
    assert.match(found.ETag ?? '', /^"[0-9a-f]{32}-1"$/);
    assert.deepEqual(await namesIn(Bucket), [['folder/', 'from-api', 'from-s3'], []]);
    const listed = await s3.api.send('GET', `${root}/files`);
    assert.deepEqual(listed.json<{ names: string[] }>().names, ['from-api', 'from-s3']);
  });
});
