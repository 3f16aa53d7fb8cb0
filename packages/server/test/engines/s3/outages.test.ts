import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startProxy } from 'basedrive-acceptance/services/proxy.js';
import { startOwnS3, type TestS3 } from 'basedrive-acceptance/services/s3.js';
import { s3Options } from '../../../src/engines/s3/options.js';
import { openS3BlobStore } from '../../../src/engines/s3/store.js';
import { StorageUnavailable } from '../../../src/engines/storage-errors.js';
import { randomId } from '../../../src/lib/random-id.js';
import { createGate } from '../../support/gate.js';
import { inChunks, patterned, readAll } from '../../support/s3-bytes.js';
import { openUploads } from '../../support/s3-open-uploads.js';

let s3: TestS3;

before(async () => {
  s3 = await startOwnS3();
});
after(() => s3.stop());

const optionsOf = (bucket: string, endpoint?: string) =>
  s3Options(`s3://${bucket}/some/prefix`, s3.environment(endpoint));
const open = (bucket: string, endpoint?: string) => openS3BlobStore(optionsOf(bucket, endpoint));
const unavailable = (cause: unknown) => cause instanceof StorageUnavailable;

test('a read continues where its connection broke', async () => {
  const proxy = await startProxy(s3.port);
  const store = await open(await s3.createBucket(), `http://127.0.0.1:${proxy.port}`);
  const bytes = patterned(20_000_000, 3);
  const id = randomId();
  await store.write(id, inChunks(bytes));
  const chunks: Buffer[] = [];
  let breaks = 0;
  for await (const chunk of store.read(id)) {
    chunks.push(Buffer.from(chunk));
    if (chunks.length % 60 === 5 && breaks < 2) {
      breaks++;
      proxy.refuse();
      proxy.restore();
    }
  }
  assert.equal(breaks, 2);
  assert.ok(Buffer.concat(chunks).equals(bytes));
  await store.close();
  await proxy.close();
});

test('a store that is cut off silently is unavailable within a limited time, and works again afterwards', async () => {
  const bucket = await s3.createBucket();
  const proxy = await startProxy(s3.port);
  const store = await open(bucket, `http://127.0.0.1:${proxy.port}`);
  const id = randomId();
  const bytes = patterned(12_000_000, 1);
  await store.write(id, inChunks(bytes));
  const begun = store.read(id)[Symbol.asyncIterator]();
  await begun.next();
  async function restOf(): Promise<void> {
    while (!(await begun.next()).done);
  }
  const isCut = createGate();
  async function* cutInTheMiddle(): AsyncGenerator<Buffer> {
    yield* inChunks(bytes.subarray(0, 6_000_000));
    proxy.cut();
    isCut.open();
    yield* inChunks(bytes.subarray(6_000_000));
  }
  const writing = assert.rejects(store.write(randomId(), cutInTheMiddle()), unavailable);
  await isCut.passed;
  await Promise.all([
    writing,
    assert.rejects(store.write(randomId(), [bytes.subarray(0, 1000)]), unavailable),
    assert.rejects(readAll(store, id), unavailable),
    assert.rejects(store.delete([randomId()]), unavailable),
    assert.rejects(store.ids()[Symbol.asyncIterator]().next(), unavailable),
    assert.rejects(restOf(), unavailable),
  ]);
  proxy.restore();
  assert.ok((await readAll(store, id)).equals(bytes));
  await store.close();
  await proxy.close();
});

test('a store that is killed is unavailable, and has everything when it is back', async () => {
  const bucket = await s3.createBucket();
  const store = await open(bucket);
  const id = randomId();
  const bytes = patterned(12_000_000, 4);
  await store.write(id, inChunks(bytes));
  async function* killedInTheMiddle(): AsyncGenerator<Buffer> {
    yield* inChunks(bytes.subarray(0, 6_000_000));
    await s3.kill();
    yield* inChunks(bytes.subarray(6_000_000));
  }
  await assert.rejects(store.write(randomId(), killedInTheMiddle()), unavailable);
  await assert.rejects(readAll(store, id), unavailable);
  await s3.restart();
  assert.ok((await readAll(store, id)).equals(bytes));
  // The upload that could not be aborted is left to maintenance.
  assert.equal((await openUploads(optionsOf(bucket))).length, 1);
  await store.close();
});
