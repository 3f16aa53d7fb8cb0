import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { readSettings } from '../../src/config/read-settings.js';
import { jsonRow, partKey } from '../../src/drive/rows.js';
import type { ItemStore } from '../../src/engines/item-store.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import { openMemoryBlobStore } from '../../src/engines/memory/blob-store.js';
import { createKeyRing } from '../../src/keys/key-ring.js';
import { openProjectRegistry } from '../../src/projects/project-registry.js';
import { completedPartBytes } from '../../src/s3/uploads/completed-parts.js';
import { createApp } from '../../src/server/app.js';
import { driveSpace } from '../../src/spaces.js';
import { servedApp } from '../support/served-app.js';

const parts = 10_000;
const md5 = 'ab'.repeat(16);
const mib = 1024 ** 2;

/** docs/http.md#memory */
test('uploads go on while more uploads of 10,000 parts are completed than there is room for their bodies', {
  timeout: 120_000,
}, async (context) => {
  const store = await openLevelStore({ memory: true });
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const items: ItemStore = {
    ...store,
    async *scan(space, range) {
      if (range?.prefix?.startsWith('part/')) await released;
      yield* store.scan(space, range);
    },
  };
  const keys = await createKeyRing(items, ['demo_s3cret'], Date.now);
  const settings = { ...readSettings({}, {}), uploadTtlMs: 3_600_000, s3: true, maxBufferedBytes: 64 * mib };
  const app = createApp({
    items,
    blobs: openMemoryBlobStore(),
    keys,
    projects: await openProjectRegistry(items),
    settings,
    clock: Date.now,
    log: { info() {}, error() {} },
  });
  const served = await servedApp(app);
  context.after(async () => {
    release();
    await served.close();
    await store.close();
  });
  const { s3: made } = await keys.create('demo', { access: 'full', s3: true });
  const { accessKeyId = '', secretAccessKey = '' } = made ?? {};
  const client = new S3Client({
    endpoint: served.origin,
    region: 'us-east-1',
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
    // On a busy machine a body may wait for room longer than it may: SlowDown.
    maxAttempts: 10,
  });
  context.after(() => client.destroy());

  const Bucket = 'bucket';
  await client.send(new CreateBucketCommand({ Bucket }));
  const part = { id: '', layout: 'blob', crc32: 0, sizeBytes: 5 * mib, md5 } as const;
  const names = Array.from({ length: 16 }, (_, n) => `large-${n}`);
  const ids = await Promise.all(
    names.map(async (name) => {
      const { UploadId: id = '' } = await client.send(
        new CreateMultipartUploadCommand({ Bucket, Key: name }),
      );
      const puts = Array.from({ length: parts }, (_, n) =>
        jsonRow(partKey(id, n + 1), { ...part, id: `${id}-${n}` }),
      );
      await store.transact(driveSpace('demo', 'bucket'), [], () => ({ puts, result: undefined }));
      return id;
    }),
  );
  const Parts = Array.from({ length: parts }, (_, n) => ({
    PartNumber: n + 1,
    ETag: `"${md5}"`,
    ChecksumCRC64NVME: 'q83vASNFZ4k=',
  }));
  // The bound for large bodies is three quarters of it, and a body counts three times: each part has more than 110 bytes.
  assert.ok(names.length * 3 * parts * 110 > 0.75 * settings.maxBufferedBytes);
  let answers = 0;
  const completed = names.map(async (name, n) => {
    const about = { Bucket, Key: name, UploadId: ids[n], MultipartUpload: { Parts } };
    const { Key } = await client.send(new CompleteMultipartUploadCommand(about));
    answers++;
    return Key;
  });
  const all = Promise.allSettled(completed);
  // All of them have been read, and wait for the lists of their parts. The bodies count no longer, and the names little.
  const keptBytes = names.length * parts * completedPartBytes;
  for (let state = app.state(); state.values.heldBytes !== keptBytes || state.buffers.heldBytes > 0; ) {
    context.signal.throwIfAborted();
    assert.equal(answers, 0);
    await new Promise((resolve) => setTimeout(resolve, 10));
    state = app.state();
  }
  const Body = 'x'.repeat(4 * mib);
  await client.send(new PutObjectCommand({ Bucket, Key: 'small', Body }));

  release();
  assert.deepEqual(
    await all,
    names.map((value) => ({ status: 'fulfilled', value })),
  );
});
