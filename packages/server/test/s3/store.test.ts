import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { startProxy } from 'basedrive-acceptance/parts/proxy.js';
import { type S3Part, startS3 } from 'basedrive-acceptance/parts/s3.js';
import { newBlobId } from '../../src/engines/blob-id.js';
import type { BlobStore } from '../../src/engines/blob-store.js';
import { StorageUnavailable } from '../../src/engines/failures.js';
import { openS3BlobStore } from '../../src/engines/s3.js';
import { s3Options } from '../../src/engines/s3-options.js';
import { OperatorError } from '../../src/operator-error.js';
import { blobStoreSuite } from '../conformance/blob-store-suite.js';

let s3: S3Part;

before(async () => {
  s3 = await startS3();
  // The SDK looks for credentials in the environment.
  Object.assign(process.env, s3.environment());
});
after(() => s3.stop());

const open = (bucket: string, endpoint = s3.endpoint) =>
  openS3BlobStore(s3Options(`s3://${bucket}/some/prefix`, s3.environment(endpoint)));

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

function patterned(size: number, seed: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  for (let at = 0; at < size; at++) bytes[at] = (at * 31 + (at >> 8) + seed) & 0xff;
  return bytes;
}

async function readAll(store: BlobStore, id: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of store.read(id)) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

async function* inChunks(bytes: Buffer, size = 65_536): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

test('large ones go up in parts and come back whole, in ranges too', async () => {
  const store = await open(await s3.createBucket());
  const bytes = patterned(17_000_001, 1);
  const id = newBlobId();
  assert.equal((await store.write(id, inChunks(bytes))).sizeBytes, bytes.length);
  assert.ok((await readAll(store, id)).equals(bytes));
  const some: Buffer[] = [];
  for await (const chunk of store.read(id, { start: 5_242_870, end: 10_485_790 }))
    some.push(Buffer.from(chunk));
  assert.ok(Buffer.concat(some).equals(bytes.subarray(5_242_870, 10_485_791)));
  await store.close();
});

test('what is sent in parts and breaks leaves nothing behind', async () => {
  const store = await open(await s3.createBucket());
  async function* broken(): AsyncGenerator<Buffer> {
    yield patterned(6_000_000, 1);
    throw new Error('the source broke');
  }
  const id = newBlobId();
  await assert.rejects(store.write(id, broken()), /the source broke/);
  for await (const blob of store.ids()) assert.fail(`${blob.id} is there`);
  await store.close();
});

test('a thousand and more go in one call', async () => {
  const store = await open(await s3.createBucket());
  const ids = Array.from({ length: 20 }, newBlobId);
  await Promise.all(ids.map((id) => store.write(id, [Buffer.from(id)])));
  await store.delete([...ids, ...Array.from({ length: 1100 }, newBlobId)]);
  for await (const blob of store.ids()) assert.fail(`${blob.id} is there`);
  await store.close();
});

describe('a store that goes away', () => {
  test('a read goes on where its connection broke', async () => {
    const proxy = await startProxy(s3.port);
    const store = await open(await s3.createBucket(), `http://127.0.0.1:${proxy.port}`);
    const bytes = patterned(20_000_000, 3);
    const id = newBlobId();
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

  test('cut off, it is unavailable within a bounded time, and works again behind it', async () => {
    const proxy = await startProxy(s3.port);
    const store = await open(await s3.createBucket(), `http://127.0.0.1:${proxy.port}`);
    const id = newBlobId();
    await store.write(id, [patterned(1000, 1)]);
    proxy.cut();
    const unavailable = (cause: unknown) => cause instanceof StorageUnavailable;
    await Promise.all([
      assert.rejects(store.write(newBlobId(), [patterned(1000, 2)]), unavailable),
      assert.rejects(readAll(store, id), unavailable),
      assert.rejects(store.delete([newBlobId()]), unavailable),
    ]);
    proxy.restore();
    assert.equal((await readAll(store, id)).length, 1000);
    await store.close();
    await proxy.close();
  });

  test('killed, it is unavailable, and has everything when it is back', async () => {
    const store = await open(await s3.createBucket());
    const id = newBlobId();
    const bytes = patterned(300_000, 4);
    await store.write(id, [bytes]);
    await s3.kill();
    await assert.rejects(store.write(newBlobId(), [bytes]), (cause) => cause instanceof StorageUnavailable);
    await s3.restart();
    assert.ok((await readAll(store, id)).equals(bytes));
    await store.close();
  });
});

describe('a store that cannot be used', () => {
  const refused = (open: Promise<unknown>, words: RegExp) =>
    assert.rejects(open, (cause) => {
      assert.ok(cause instanceof OperatorError, String(cause));
      assert.match(cause.message, words);
      return true;
    });

  test('no such bucket, wrong keys, nobody there: one line says it, without the secret', async () => {
    const environment = s3.environment();
    await refused(open('no-such-bucket-here'), /no such bucket/);
    const bucket = await s3.createBucket();
    process.env.AWS_SECRET_ACCESS_KEY = 'wrong';
    await refused(open(bucket), /denied|secret/);
    Object.assign(process.env, environment);
    await assert.rejects(
      open(bucket, 'http://127.0.0.1:1'),
      (cause) =>
        cause instanceof StorageUnavailable &&
        !String(cause.stack).includes(`${environment.AWS_SECRET_ACCESS_KEY}`),
    );
  });
});

/** No real store lies: this one takes everything, and says what it is told to say of it. */
describe('a store that lies about what it accepted', () => {
  async function lying(
    etag: string,
    length: number,
    work: (store: BlobStore) => Promise<void>,
  ): Promise<void> {
    const server = createServer((request, response) => {
      request.resume();
      response.setHeader('ETag', `"${etag}"`);
      if (request.method === 'HEAD') response.setHeader('Content-Length', length);
      response.end();
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const store = await open('bucket', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await work(store);
    await store.close();
    server.close();
  }

  const unavailable = (words: RegExp) => (cause: unknown) =>
    cause instanceof StorageUnavailable && words.test(cause.message);

  test('other bytes', () =>
    lying('0'.repeat(32), 1000, (store) =>
      assert.rejects(store.write(newBlobId(), [patterned(1000, 1)]), unavailable(/other bytes/)),
    ));

  test('fewer bytes', () =>
    lying('not an md5', 999, (store) =>
      assert.rejects(store.write(newBlobId(), [patterned(1000, 1)]), unavailable(/999 bytes/)),
    ));
});
