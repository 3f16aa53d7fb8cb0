import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { BlobMissing, StorageUnavailable } from '../../../src/engines/storage-errors.js';
import { randomId } from '../../../src/lib/random-id.js';
import { patterned, readAll } from '../../support/s3-bytes.js';
import { rangeOf, startFakeStore } from '../../support/s3-fake-store.js';

const bytes = patterned(20_000_000, 2);
const all = { start: 0, end: bytes.length - 1 };
const id = randomId();

function beginAnswer(response: ServerResponse, { start, end }: { start: number; end: number }): void {
  response.writeHead(206, {
    'Content-Length': end - start + 1,
    'Content-Range': `bytes ${start}-${end}/${bytes.length}`,
  });
}

test('a read continues through any number of broken connections that deliver something', async (context) => {
  const { store, requests } = await startFakeStore(context, (request, response) => {
    const { start, end } = rangeOf(request);
    beginAnswer(response, { start, end });
    const some = bytes.subarray(start, Math.min(end + 1, start + 1_000_000));
    if (start + some.length === end + 1) response.end(some);
    else response.write(some, () => response.destroy());
  });
  assert.ok((await readAll(store, id, all)).equals(bytes));
  assert.ok(requests.length >= 20, `${requests.length} times`);
});

test('a read fails when connections break again and again before they deliver a byte', async (context) => {
  const { store, requests } = await startFakeStore(context, (request, response) => {
    const { start, end } = rangeOf(request);
    beginAnswer(response, { start, end });
    if (start === 0) response.write(bytes.subarray(0, 100_000), () => response.destroy());
    else {
      response.flushHeaders();
      setImmediate(() => response.destroy());
    }
  });
  await assert.rejects(readAll(store, id, all), (cause) => cause instanceof StorageUnavailable);
  assert.ok(requests.length < 10, `${requests.length} times`);
});

test('a read whose connection broke reports a blob that was deleted meanwhile as missing', async (context) => {
  const { store } = await startFakeStore(context, (request, response) => {
    const { start, end } = rangeOf(request);
    if (start > 0) {
      response.writeHead(404);
      response.end('<Error><Code>NoSuchKey</Code><Message>gone</Message></Error>');
      return;
    }
    beginAnswer(response, { start, end });
    response.write(bytes.subarray(0, 100_000), () => response.destroy());
  });
  await assert.rejects(readAll(store, id, all), (cause) => cause instanceof BlobMissing);
});

test('a reader who pauses for long holds no connection, and continues where it stopped', async (context) => {
  const answers: ServerResponse[] = [];
  const { store } = await startFakeStore(context, (request, response) => {
    const { start, end } = rangeOf(request);
    answers.push(response);
    beginAnswer(response, { start, end });
    response.end(bytes.subarray(start, end + 1));
  });
  const chunks: Buffer[] = [];
  for await (const chunk of store.read(id, all)) {
    if (chunks.length === 0) await once(answers[0] as ServerResponse, 'close');
    chunks.push(Buffer.from(chunk));
  }
  assert.ok(Buffer.concat(chunks).equals(bytes));
  assert.equal(answers.length, 2);
});
