import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { openSession } from '../support/mcp-session.js';
import {
  adminKeyFile,
  assertExceeded,
  exchange,
  type Project,
  projectOn,
  putItem,
} from '../support/quota-project.js';
import { startServer } from '../support/run-cli.js';

// A quota holds at every door, and what is refused has changed nothing. `quotas.test.ts` has those of items.

const mib = 1024 * 1024;
const boundary = 'b0undary';
const form = (file: string) =>
  `--${boundary}\r\nContent-Disposition: form-data; name="f"; filename="form"\r\n\r\n${file}\r\n--${boundary}--\r\n`;
const formType = `multipart/form-data; boundary=${boundary}`;

async function s3Of({ url, send }: Project): Promise<S3Client> {
  const made = JSON.parse((await send('POST', '/keys', { s3: true })).text);
  const credentials = { accessKeyId: made.access_key_id, secretAccessKey: made.secret_access_key };
  return new S3Client({
    endpoint: url,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials,
    maxAttempts: 1,
  });
}

async function linkOf({ send }: Project, link: object): Promise<string> {
  const made = await send('POST', '/d/links', { method: 'POST', expires_in: 600, ...link });
  assert.equal(made.status, 201, made.text);
  return JSON.parse(made.text).links[0].url as string;
}

/** Each in a project of its own. */
const doors: Readonly<Record<string, (project: Project, context: TestContext) => Promise<void>>> = {
  async 'S3: objects, copies and parts'(project, context) {
    const client = await s3Of(project);
    context.after(() => client.destroy());
    const Bucket = 'bucket';
    await client.send(new CreateBucketCommand({ Bucket }));
    await project.quota({ file_bytes: 6 * mib, files: 2 });
    const put = (Key: string, bytes: number) =>
      client.send(new PutObjectCommand({ Bucket, Key, Body: Buffer.alloc(bytes, 'x') }));
    const isRefused = (cause: { name: string; $metadata: { httpStatusCode?: number } }) => {
      assert.equal(cause.name, 'QuotaExceeded');
      assert.equal(cause.$metadata.httpStatusCode, 403);
      return true;
    };
    await assert.rejects(put('large', 7 * mib), isRefused);
    await put('small', 1000);
    const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key: 'parts' }));
    const part = (PartNumber: number) =>
      client.send(
        new UploadPartCommand({
          Bucket,
          Key: 'parts',
          UploadId,
          PartNumber,
          Body: Buffer.alloc(5 * mib, 'x'),
        }),
      );
    const first = await part(1);
    await assert.rejects(part(2), isRefused);
    assert.equal((await project.usage()).upload_bytes, 5 * mib);
    await client.send(
      new CompleteMultipartUploadCommand({
        Bucket,
        Key: 'parts',
        UploadId,
        MultipartUpload: { Parts: [{ PartNumber: 1, ETag: first.ETag }] },
      }),
    );
    await assert.rejects(put('third', 1), isRefused);
    const copy = (Key: string) =>
      client.send(new CopyObjectCommand({ Bucket, Key, CopySource: `${Bucket}/parts` }));
    await assert.rejects(copy('third'), isRefused);
    await assert.rejects(copy('small'), isRefused);
    const { files, file_bytes } = await project.usage();
    assert.deepEqual({ files, file_bytes }, { files: 2, file_bytes: 5 * mib + 1000 });
  },

  async 'the markers of folders, also those that were there before the quota'(project, context) {
    const client = await s3Of(project);
    context.after(() => client.destroy());
    const Bucket = 'bucket';
    await client.send(new CreateBucketCommand({ Bucket }));
    const mark = (Key: string, Body = '') => client.send(new PutObjectCommand({ Bucket, Key, Body }));
    await mark('before/');
    await project.quota({ files: 3, file_bytes: 10 });
    await mark('a/');
    await mark('a/');
    await assert.rejects(mark('b/', 'x'.repeat(11)), { name: 'QuotaExceeded' });
    await mark('b/', 'x'.repeat(10));
    await assert.rejects(mark('c/'), { name: 'QuotaExceeded' });
    await assert.rejects(mark('file'), { name: 'QuotaExceeded' });
    const path = '/bucket/files?name=c/&folder=true';
    assertExceeded(await project.send('POST', path, ''), 'files');
    const moved = { files: [{ from: 'b/', to: 'c/' }] };
    assert.equal((await project.send('POST', '/bucket/files/move?folder=true', moved)).status, 200);
    assertExceeded(await project.send('POST', '/bucket/files?name=d', 'x'), 'file_bytes');
    await client.send(new DeleteObjectCommand({ Bucket, Key: 'c/' }));
    await mark('file', 'x'.repeat(10));
  },

  async 'HTML forms, also at an upload link'(project) {
    await project.quota({ file_bytes: 100, files: 1 });
    const sent = { type: formType };
    assertExceeded(await project.send('POST', '/d/files?name=a', form('x'.repeat(101)), sent), 'file_bytes');
    const link = await linkOf(project, { name: 'b', max_bytes: 1000 });
    assertExceeded(await exchange(link, 'POST', form('x'.repeat(101)), sent), 'file_bytes');
    assert.equal((await exchange(link, 'POST', form('x'.repeat(100)), sent)).status, 201);
    assertExceeded(await project.send('POST', '/d/files', form(''), sent), 'files');
    assert.equal((await project.usage()).file_bytes, 100);
  },

  async 'listed links: what they store counts, and they themselves do not'(project) {
    await project.quota({ files: 1, file_bytes: 100, items: 0, item_bytes: 0 });
    const before = await project.usage();
    const upload = { listed: true, max_bytes: 1000 };
    const first = await linkOf(project, { ...upload, name: 'a' });
    const second = await linkOf(project, { ...upload, name: 'b' });
    const read = await linkOf(project, { method: 'GET', listed: true, name: 'a' });
    assert.deepEqual(await project.usage(), before);
    assertExceeded(await exchange(first, 'POST', 'x'.repeat(101)), 'file_bytes');
    // A link that was refused is not used up.
    assert.equal((await exchange(first, 'POST', 'x'.repeat(100))).status, 201);
    assertExceeded(await exchange(second, 'POST', ''), 'files');
    const { files, file_bytes } = await project.usage();
    assert.deepEqual({ files, file_bytes }, { files: 1, file_bytes: 100 });
    // A full project is still read, and makes links.
    assert.equal((await exchange(read, 'GET')).text.length, 100);
    await linkOf(project, { ...upload, name: 'c' });
    assert.equal((await project.send('DELETE', '/d/files', { names: ['a'] })).status, 200);
    assert.equal((await exchange(second, 'POST', 'x')).status, 201);
  },

  async 'upload links in parts'(project) {
    await project.quota({ file_bytes: 6 * mib, files: 1 });
    const link = await linkOf(project, { name: 'f', parts: true, max_bytes: 20 * mib });
    const opened = await exchange(`${link}/uploads`, 'POST');
    assert.equal(opened.status, 202, opened.text);
    const upload = `${link}/uploads/${JSON.parse(opened.text).upload_id}`;
    const part = (n: number) => exchange(`${upload}/parts?part=${n}`, 'POST', 'x'.repeat(5 * mib));
    assert.equal((await part(1)).status, 200);
    // The connection may be cut before the answer: not all of its bytes are read.
    const second = await part(2);
    if (second.status !== 0) assertExceeded(second, 'file_bytes');
    assert.equal((await project.usage()).upload_bytes, 5 * mib);
    assert.equal((await project.send('POST', '/d/files?name=g', 'x')).status, 201);
    assertExceeded(await exchange(upload, 'PATCH'), 'files');
    assert.equal((await project.send('DELETE', '/d/files', { names: ['g'] })).status, 200);
    assert.equal((await exchange(upload, 'PATCH')).status, 200);
    const { files, file_bytes, upload_bytes } = await project.usage();
    assert.deepEqual({ files, file_bytes, upload_bytes }, { files: 1, file_bytes: 5 * mib, upload_bytes: 0 });
  },

  async 'the trash: what comes back is a file again'(project) {
    await project.send('PUT', '/d/settings', { trash: '30d' });
    await project.quota({ files: 1 });
    assert.equal((await project.send('POST', '/d/files?name=a', 'x')).status, 201);
    assert.equal((await project.send('DELETE', '/d/files', { names: ['a'] })).status, 200);
    assert.equal((await project.send('POST', '/d/files?name=b', 'x')).status, 201);
    const trash = JSON.parse((await project.send('GET', '/d/trash')).text);
    const files = [{ id: trash.files[0].id }];
    assertExceeded(await project.send('POST', '/d/trash/restore', { files }), 'files');
    assert.equal((await project.usage()).files, 1);
    assert.equal((await project.send('DELETE', '/d/files', { names: ['b'] })).status, 200);
    assert.equal((await project.send('POST', '/d/trash/restore', { files })).status, 200);
    assert.equal((await project.usage()).files, 1);
  },

  async 'moves need no room, not onto another file either'(project) {
    for (const name of ['a', 'b']) await project.send('POST', `/d/files?name=${name}`, 'xx');
    await project.quota({ files: 2, file_bytes: 5 });
    const move = (from: string, to: string) =>
      project.send('POST', '/d/files/move', { files: [{ from, to }], overwrite: true });
    assert.equal((await move('a', 'c')).status, 200);
    assert.equal((await move('c', 'b')).status, 200);
    const { files, file_bytes } = await project.usage();
    assert.deepEqual({ files, file_bytes }, { files: 1, file_bytes: 2 });
    assert.equal((await project.send('POST', '/d/files?name=d', 'xx')).status, 201);
    assertExceeded(await project.send('POST', '/d/files?name=e', 'x'), 'files');
  },

  async 'updates of a set keep what they have done before'(project) {
    for (const name of ['a', 'b', 'c']) await project.send('PUT', '/base/items', putItem(name));
    await project.quota({ item_bytes: 3 * 11 + 30 });
    const grow = { query: { 'key?gte': 'a' }, set: { text: 'x'.repeat(10) } };
    assertExceeded(await project.send('POST', '/base/query/update', grow), 'item_bytes');
    const { item_bytes: kept = 0 } = await project.usage();
    const items = await project.send('GET', '/base/items', undefined, { type: 'application/x-ndjson' });
    assert.equal(kept, items.text.trim().split('\n').join('').length);
    assert.ok(kept <= 3 * 11 + 30, `${kept}`);
    const only = { query: { key: 'c' }, set: { text: 'x'.repeat(10) } };
    assert.equal((await project.send('POST', '/base/query/delete', { query: { key: 'b' } })).status, 200);
    assert.equal((await project.send('POST', '/base/query/update', only)).status, 200);
  },

  async 'the tools of agents'(project, context) {
    await project.quota({ items: 1, files: 1 });
    const session = await openSession(context, project.url, { withKey: project.key });
    await session.read('put_items', { base: 'base', items: [{ key: 'a' }] });
    assert.match(await session.refusal('put_items', { base: 'base', items: [{ key: 'b' }] }), /quota/);
    await session.read('put_file', { drive: 'd', name: 'a', text: 'x' });
    assert.match(await session.refusal('put_file', { drive: 'd', name: 'b', text: 'x' }), /quota/);
    const { items, files } = await project.usage();
    assert.deepEqual({ items, files }, { items: 1, files: 1 });
  },
};

test('a quota holds at every door', async (context) => {
  const file = await adminKeyFile(context);
  const options = ['--memory', '--log-level', 'error', '--admin-key-file', file];
  const { url } = await startServer(context, options);
  for (const [name, body] of Object.entries(doors))
    await context.test(name, async (inner) => body(await projectOn(url), inner));
});
