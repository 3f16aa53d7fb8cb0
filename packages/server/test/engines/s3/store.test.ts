import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startS3, type TestS3 } from 'basedrive-acceptance/services/s3.js';
import { openS3Client } from '../../../src/engines/s3/client.js';
import { abortAbandonedUploads, beginMultipartUpload } from '../../../src/engines/s3/multipart-upload.js';
import { s3Options } from '../../../src/engines/s3/options.js';
import { openS3BlobStore } from '../../../src/engines/s3/store.js';
import { randomId } from '../../../src/lib/random-id.js';
import { blobStoreSuite } from '../../conformance/blob-store-suite.js';
import { createMemoryWatch } from '../../support/memory-watch.js';
import { inChunks, patterned, readAll } from '../../support/s3-bytes.js';
import { openUploads } from '../../support/s3-open-uploads.js';

let s3: TestS3;

before(async () => {
  s3 = await startS3();
});
after(() => s3.stop());

const optionsOf = (bucket: string) => s3Options(`s3://${bucket}/some/prefix`, s3.environment());
const open = (bucket: string) => openS3BlobStore(optionsOf(bucket));

blobStoreSuite('S3', async () => {
  const bucket = await s3.createBucket();
  const store = await open(bucket);
  return {
    store,
    reopen: async () => {
      await store.close();
      return open(bucket);
    },
    cleanup: async () => {},
  };
});

test('large blobs are sent in parts and read back whole and in ranges', async () => {
  const store = await open(await s3.createBucket());
  const part = 5 * 1024 * 1024;
  for (const size of [part - 1, part, part + 1, 2 * part, 17_000_001]) {
    const bytes = patterned(size, 1);
    const id = randomId();
    assert.equal((await store.write(id, inChunks(bytes))).sizeBytes, size);
    assert.ok((await readAll(store, id)).equals(bytes), `${size} bytes`);
    const range = { start: part - 10, end: Math.min(size, 2 * part + 30) - 1 };
    assert.ok((await readAll(store, id, range)).equals(bytes.subarray(range.start, range.end + 1)));
  }
  await store.close();
});

test('a multipart upload whose source breaks leaves nothing behind', async () => {
  const bucket = await s3.createBucket();
  const store = await open(bucket);
  for (const before of [1, 2, 3]) {
    async function* broken(): AsyncGenerator<Buffer> {
      for (let n = 0; n < before; n++) yield patterned(6_000_000, n);
      assert.equal((await openUploads(optionsOf(bucket))).length, 1);
      throw new Error('the source broke');
    }
    await assert.rejects(store.write(randomId(), broken()), /the source broke/);
    assert.deepEqual(await openUploads(optionsOf(bucket)), []);
  }
  for await (const blob of store.ids()) assert.fail(`${blob.id} is there`);
  await store.close();
});

test('multipart uploads that a crash left are aborted when they are old, and only those below the prefix', async () => {
  const options = optionsOf(await s3.createBucket());
  const client = openS3Client(options);
  const place = { Bucket: options.bucket, Key: `${options.prefix}ab/left` };
  const elsewhere = { Bucket: options.bucket, Key: 'elsewhere' };
  for (const where of [place, place, elsewhere]) {
    const upload = await beginMultipartUpload({ client, patient: client }, where);
    await upload.add(patterned(1000, 1));
    await upload.sent();
  }
  await abortAbandonedUploads(client, options, 3_600_000);
  assert.equal((await openUploads(options)).length, 3);
  await abortAbandonedUploads(client, options, -3_600_000);
  assert.deepEqual(await openUploads(options), ['elsewhere']);
  client.destroy();
});

test('more blobs than one call takes are listed and deleted', async () => {
  const store = await open(await s3.createBucket());
  const ids = Array.from({ length: 1100 }, randomId);
  await Promise.all(ids.map((id) => store.write(id, [Buffer.from(id)])));
  const listed: string[] = [];
  for await (const blob of store.ids()) listed.push(blob.id);
  assert.deepEqual(listed.sort(), ids.toSorted());
  await store.delete([...ids, ...Array.from({ length: 10 }, randomId)]);
  for await (const blob of store.ids()) assert.fail(`${blob.id} is there`);
  await store.close();
});

test('memory stays small for a blob of any size', async () => {
  const store = await open(await s3.createBucket());
  const piece = patterned(250_000, 1);
  const count = 1200;
  const watch = createMemoryWatch();
  async function* source(): AsyncGenerator<Buffer> {
    for (let n = 0; n < count; n++) {
      if (n % 100 === 0) watch.sample();
      yield piece;
    }
  }
  const id = randomId();
  await store.write(id, source());
  let chunks = 0;
  for await (const _ of store.read(id)) if (++chunks % 1000 === 0) watch.sample();
  assert.ok(chunks > 1000);
  // Two parts, and a second copy of one while its chunks are joined.
  assert.ok(watch.peakBytes() < 20_000_000, `${watch.peakBytes()} bytes`);
  await store.close();
});

test('hundreds of slow readers leave connections for others', async () => {
  const store = await open(await s3.createBucket());
  const id = randomId();
  const bytes = patterned(4_000_000, 1);
  await store.write(id, [bytes]);
  const readers = Array.from({ length: 200 }, () => store.read(id)[Symbol.asyncIterator]());
  await Promise.all(readers.map((reader) => reader.next()));
  const other = randomId();
  await store.write(other, [bytes]);
  assert.ok((await readAll(store, other)).equals(bytes));
  await Promise.all(readers.map((reader) => reader.return?.()));
  await store.close();
});
