import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { expectErrors, expectStatus } from './support/expect.js';
import { bytesOf, newBucket, rejectsWith, useS3 } from './support/s3.js';

interface Details {
  readonly name: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly md5?: string;
  readonly checksum?: { readonly algorithm: string; readonly value: string };
}

const md5OfTea = '7239ea2b5dc943f61f3c0a0276c20974';

describe('a file is the same over both APIs', { concurrency: true }, () => {
  const s3 = useS3();
  const rootOf = (drive: string) => `/v1/${s3.target.project}/${drive}`;
  const put = (drive: string, query: string, headers: Record<string, string> = {}, body = 'tea') =>
    s3.api.send('POST', `${rootOf(drive)}/files?name=${query}`, { headers, body });
  async function list(drive: string, query: string): Promise<readonly Details[]> {
    const reply = await s3.api.send('GET', `${rootOf(drive)}/files?details=true&${query}`);
    expectStatus(reply, 200);
    return reply.json<{ files: Details[] }>().files;
  }

  test('details have the headers and sums that an S3 client has given', async () => {
    const Bucket = await s3.bucket();
    const given = { Bucket, Body: 'tea', CacheControl: 'max-age=60', ContentLanguage: 'da' };
    await s3.client.send(new PutObjectCommand({ ...given, Key: 'a', ChecksumAlgorithm: 'SHA256' }));
    const { ChecksumSHA256: value = '' } = await s3.client.send(
      new HeadObjectCommand({ Bucket, Key: 'a', ChecksumMode: 'ENABLED' }),
    );
    const plain = s3.clientOf(s3.credentials, { requestChecksumCalculation: 'WHEN_REQUIRED' });
    await plain.send(new PutObjectCommand({ Bucket, Key: 'b', Body: 'tea' }));
    plain.destroy();
    await s3.client.send(new PutObjectCommand({ Bucket, Key: 'c', Body: 'tea', ChecksumAlgorithm: 'CRC32' }));
    const found = await list(Bucket, '');
    assert.deepEqual(
      found.map(({ headers, md5, checksum }) => [headers, md5, checksum?.algorithm]),
      [
        [{ 'Cache-Control': 'max-age=60', 'Content-Language': 'da' }, md5OfTea, 'SHA256'],
        [undefined, md5OfTea, undefined],
        [undefined, md5OfTea, 'CRC32'],
      ],
    );
    assert.equal(found[0]?.checksum?.value, value);
  });

  test('what a file brings along is what S3 clients see', async () => {
    const drive = newBucket();
    const headers = {
      'X-File-Content-Disposition': 'attachment; filename="tea"',
      'X-File-Expires': 'Thu, 01 Dec 2094 16:00:00 GMT',
      'X-File-MD5': `${md5OfTea}-3`,
      'X-File-Checksum': 'CRC32 AAAAAA==-3',
    };
    expectStatus(await put(drive, 'parts', headers), 201);
    const found = await s3.client.send(
      new HeadObjectCommand({ Bucket: drive, Key: 'parts', ChecksumMode: 'ENABLED' }),
    );
    assert.deepEqual(
      [found.ETag, found.ContentDisposition, found.ExpiresString, found.ChecksumCRC32, found.ChecksumType],
      [
        `"${md5OfTea}-3"`,
        'attachment; filename="tea"',
        'Thu, 01 Dec 2094 16:00:00 GMT',
        'AAAAAA==-3',
        'COMPOSITE',
      ],
    );
    const [details] = await list(drive, '');
    assert.deepEqual(details?.checksum, { algorithm: 'CRC32', value: 'AAAAAA==-3' });

    const opened = await s3.api.send('POST', `${rootOf(drive)}/uploads?name=whole`, {
      headers: { 'X-File-MD5': md5OfTea, 'X-File-Cache-Control': 'no-store' },
    });
    const { upload_id } = opened.json<{ upload_id: string }>();
    const path = `${rootOf(drive)}/uploads/${upload_id}`;
    expectStatus(await s3.api.send('POST', `${path}/parts?name=whole&part=1`, { body: 'tea' }), 200);
    expectStatus(await s3.api.send('PATCH', `${path}?name=whole`), 200);
    const whole = await s3.client.send(new HeadObjectCommand({ Bucket: drive, Key: 'whole' }));
    assert.deepEqual([whole.ETag, whole.CacheControl], [`"${md5OfTea}"`, 'no-store']);

    expectStatus(await put(drive, 'whole'), 201);
    const after = await s3.client.send(new HeadObjectCommand({ Bucket: drive, Key: 'whole' }));
    assert.match(after.ETag ?? '', /^"[0-9a-f]{32}-1"$/);
    assert.equal(after.CacheControl, undefined);
  });

  test('parts that continue are one part of S3, also of a copy, and say their checksums', async () => {
    const drive = newBucket();
    const opened = await s3.api.send('POST', `${rootOf(drive)}/uploads?name=a`, {
      headers: { 'X-File-MD5': `${md5OfTea}-2`, 'X-File-Checksum': 'CRC32 AAAAAA==-2' },
    });
    const { upload_id } = opened.json<{ upload_id: string }>();
    const path = `${rootOf(drive)}/uploads/${upload_id}`;
    const send = (part: number, headers: Record<string, string>, body: string | Buffer) =>
      s3.api.send('POST', `${path}/parts?name=a&part=${part}`, { headers, body });
    const half = Buffer.alloc(5 * 1024 ** 2, 'half');
    expectStatus(await send(1, { 'X-File-Continues': 'true' }, half), 200);
    expectStatus(await send(2, { 'X-File-Checksum': 'CRC32 AAAAAQ==' }, half), 200);
    expectStatus(await send(3, { 'X-File-Checksum': 'CRC32 AAAAAg==' }, 'end'), 200);
    const refused: Record<string, string>[] = [
      { 'X-File-Continues': 'yes' },
      { 'X-File-Checksum': 'x' },
      { 'X-File-MD5': md5OfTea },
    ];
    for (const headers of refused) {
      expectStatus(await send(3, headers, 'not stored'), 400);
    }
    expectStatus(await s3.api.send('PATCH', `${path}?name=a`), 200);
    const copy = { json: { files: [{ from: 'a', to: 'b' }] } };
    expectStatus(await s3.api.send('POST', `${rootOf(drive)}/files/copy`, copy), 200);
    for (const name of ['a', 'b']) {
      const reply = await s3.api.send('GET', `${rootOf(drive)}/files/parts?name=${name}`);
      const { parts } = reply.json<{ parts: unknown }>();
      assert.deepEqual(parts, [
        { size: 2 * half.length, checksum: { algorithm: 'CRC32', value: 'AAAAAQ==' } },
        { size: 3, checksum: { algorithm: 'CRC32', value: 'AAAAAg==' } },
      ]);
      const asked = { Bucket: drive, Key: name, PartNumber: 2, ChecksumMode: 'ENABLED' } as const;
      const found = await s3.client.send(new HeadObjectCommand(asked));
      assert.deepEqual([found.ContentLength, found.PartsCount, found.ChecksumCRC32], [3, 2, 'AAAAAg==']);
    }
    expectErrors(await s3.api.send('GET', `${rootOf(drive)}/files/parts?name=c`), 404, /^File not found$/);
  });

  for (const [header, value] of [
    ['X-File-MD5', 'x'],
    ['X-File-MD5', `${md5OfTea}-0`],
    ['X-File-MD5', md5OfTea.toUpperCase()],
    ['X-File-Checksum', 'CRC32 AAAA'],
    ['X-File-Checksum', 'MD5 AAAAAA=='],
    ['X-File-Checksum', 'CRC32 AAAAAA==-0'],
    ['X-File-Cache-Control', ''],
    ['X-File-Cache-Control', 'x'.repeat(2049)],
    ['X-File-Content-Type', 'text/plain'],
    ['X-File-Continues', 'true'],
    ['X-File-', 'x'],
  ] as const) {
    test(`400 for ${header}: ${value.slice(0, 40)}`, async () => {
      const drive = newBucket();
      const reply = await put(drive, 'a', { [header]: value });
      assert.equal(reply.status, 400, reply.text);
      assert.deepEqual(await list(drive, ''), []);
    });
  }

  test('markers of folders are listed, stored and read when asked for, and are no files', async () => {
    const Bucket = await s3.bucket();
    await s3.client.send(
      new PutObjectCommand({ Bucket, Key: 'a/', Body: 'by S3', Metadata: { mode: '755' } }),
    );
    expectStatus(await put(Bucket, 'a%2Fb%2F&folder=true', { 'X-File-MD5': md5OfTea }), 201);
    expectStatus(await put(Bucket, 'c%2F&folder=true', {}, ''), 201);
    expectErrors(await put(Bucket, 'd%2F'), 400, /^name: must not end with "\/"$/);
    expectErrors(
      await put(Bucket, 'd%2F&folder=true&expires_in=60'),
      400,
      /^expires: must not be given with the marker of a folder$/,
    );
    assert.deepEqual(await list(Bucket, ''), []);
    const markers = await list(Bucket, 'folders=true');
    assert.deepEqual(
      markers.map(({ name }) => name),
      ['a/', 'a/b/', 'c/'],
    );
    const paged = await s3.api.send('GET', `${rootOf(Bucket)}/files?folders=true&limit=1&last=a/&prefix=a`);
    assert.deepEqual(paged.json(), { names: ['a/b/'] });
    const first = await s3.api.send('GET', `${rootOf(Bucket)}/files?folders=true&limit=2`);
    assert.deepEqual(first.json(), { paging: { size: 2, last: 'a/b/' }, names: ['a/', 'a/b/'] });
    for (const query of ['order=size', 'contains=a', 'recursive=false']) {
      expectStatus(await s3.api.send('GET', `${rootOf(Bucket)}/files?folders=true&${query}`), 400);
    }
    const read = await s3.api.send('GET', `${rootOf(Bucket)}/files/download?name=a%2F&folder=true`);
    assert.deepEqual([read.text, read.headers['x-meta-mode']], ['by S3', '755']);
    const { Contents = [] } = await s3.client.send(new ListObjectsV2Command({ Bucket }));
    assert.deepEqual(
      Contents.map(({ Key, Size }) => [Key, Size]),
      [
        ['a/', 5],
        ['a/b/', 3],
        ['c/', 0],
      ],
    );
    const found = await s3.client.send(new GetObjectCommand({ Bucket, Key: 'a/b/' }));
    assert.deepEqual([found.ETag, (await bytesOf(found.Body)).toString()], [`"${md5OfTea}"`, 'tea']);
  });

  test('markers of folders are moved and deleted among files when asked for', async () => {
    const Bucket = await s3.bucket();
    const send = (method: string, path: string, json: unknown) =>
      s3.api.send(method, `${rootOf(Bucket)}/files${path}`, { json });
    await s3.client.send(new PutObjectCommand({ Bucket, Key: 'a/', Body: 'x', Metadata: { mode: '755' } }));
    await s3.client.send(new PutObjectCommand({ Bucket, Key: 'a/tea.txt', Body: 'tea' }));
    const files = [
      { from: 'a/', to: 'b/' },
      { from: 'a/tea.txt', to: 'b/tea.txt' },
    ];
    expectErrors(await send('POST', '/move', { files }), 400, /^files\[0\]\.from: must not end with "\/"$/);
    for (const [from, to] of [
      ['a/', 'b'],
      ['a/tea.txt', 'b/'],
    ]) {
      const refused = await send('POST', '/move?folder=true', { files: [{ from, to }] });
      expectErrors(refused, 400, /^files\[0\]\.to: must end with "\/" if "from" does, and only then$/);
    }
    assert.deepEqual((await send('POST', '/move?folder=true', { files })).json(), { moved: 2 });
    const [marker, ...others] = await list(Bucket, 'folders=true');
    assert.deepEqual([marker?.name, others], ['b/', []]);
    const read = await s3.api.send('GET', `${rootOf(Bucket)}/files/download?name=b%2F&folder=true`);
    assert.deepEqual([read.text, read.headers['x-meta-mode']], ['x', '755']);
    const again = await send('POST', '/move?folder=true', { files: [{ from: 'a/', to: 'c/' }] });
    expectErrors(again, 404, /^files\[0\]\.from: File not found$/);

    const names = ['b/', 'b/tea.txt'];
    assert.deepEqual((await send('DELETE', '', { names })).json(), {
      deleted: ['b/tea.txt'],
      failed: { 'b/': 'invalid name' },
    });
    assert.equal((await list(Bucket, 'folders=true')).length, 1);
    const bad = `${'n'.repeat(1024)}/`;
    assert.deepEqual((await send('DELETE', '?folder=true', { names: ['b/', bad] })).json(), {
      deleted: ['b/'],
      failed: { [bad]: 'invalid name' },
    });
    assert.deepEqual(await list(Bucket, 'folders=true'), []);
  });

  test('a drive that is kept, or has only the marker of a folder, is listed and is a bucket', async () => {
    const begin = newBucket();
    const [kept, marked, none] = [`${begin}-kept`, `${begin}-marked`, `${begin}-none`];
    const set = async (value: boolean) => {
      const reply = await s3.api.send('PUT', `${rootOf(kept)}/settings`, { json: { kept: value } });
      assert.deepEqual(reply.json(), { trash: null, counted: false, ...(value && { kept: true }) });
    };
    const listed = async () =>
      (await s3.api.send('GET', `/v1/${s3.target.project}/drives?prefix=${begin}`)).json<{
        drives: string[];
      }>().drives;
    await set(true);
    expectStatus(await put(marked, 'a%2F&folder=true', {}, ''), 201);
    await s3.api.send('POST', `${rootOf(none)}/uploads?name=open`);
    assert.deepEqual(await listed(), [kept, marked]);
    await s3.client.send(new ListObjectsV2Command({ Bucket: kept }));
    await set(false);
    assert.deepEqual(await listed(), [marked]);
    await rejectsWith(s3.client.send(new ListObjectsV2Command({ Bucket: kept })), 'NoSuchBucket', 404);
  });

  test('a drive that is kept may say where it is, which is the region of its bucket', async () => {
    const Bucket = newBucket();
    const set = (json: object) => s3.api.send('PUT', `${rootOf(Bucket)}/settings`, { json });
    const region = async () => (await s3.client.send(new HeadBucketCommand({ Bucket }))).BucketRegion;
    for (const [json, rule] of [
      [{ location: 'eu-west-1' }, /^location: needs "kept": true$/],
      [{ kept: false, location: 'eu-west-1' }, /^location: needs "kept": true$/],
      [{ kept: true, location: 'no where' }, /^location: must be 1 to 64 letters, digits and hyphens$/],
      [{ kept: true, location: '' }, /^location: must be 1 to 64 letters/],
      [{ kept: true, location: null }, /^location: must be a string$/],
    ] as const) {
      expectErrors(await set(json), 400, rule);
    }
    await rejectsWith(region(), 'NotFound', 404);
    const settings = { trash: null, counted: false, kept: true };
    assert.deepEqual((await set({ kept: true })).json(), settings);
    assert.equal(await region(), 'us-east-1');
    for (const location of ['eu-west-1', 'eu-central-1']) {
      assert.deepEqual((await set({ kept: true, location })).json(), { ...settings, location });
      assert.equal(await region(), location);
    }
    assert.deepEqual((await set({ kept: true })).json(), { ...settings, location: 'eu-central-1' });
    assert.deepEqual((await set({ kept: false })).json(), { trash: null, counted: false });
  });
});
