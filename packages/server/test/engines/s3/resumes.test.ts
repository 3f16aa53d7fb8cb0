import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { BlobMissing, StorageUnavailable } from '../../../src/engines/storage-errors.js';
import { randomId } from '../../../src/lib/random-id.js';
import { patterned, readAll } from '../../support/s3-bytes.js';
import { rangeOf, startMadeUpStore } from '../../support/s3-fake-store.js';

const bytes = patterned(20_000_000, 2);
const all = { start: 0, end: bytes.length - 1 };
const id = randomId();

function beginAnswer(response: ServerResponse, { start, end }: { start: number; end: number }): void {
  response.writeHead(206, {
    'Content-Length': end - start + 1,
    'Content-Range': `bytes ${start}-${end}/${bytes.length}`,
  });
}

test('a connection may break any number of times, as long as each gives something', async (context) => {
  const { store, asked } = await startMadeUpStore(context, (request, response) => {
    const { start, end } = rangeOf(request);
    beginAnswer(response, { start, end });
    const some = bytes.subarray(start, Math.min(end + 1, start + 1_000_000));
    if (start + some.length === end + 1) response.end(some);
    else response.write(some, () => response.destroy());
  });
  assert.ok((await readAll(store, id, all)).equals(bytes));
  assert.ok(asked.length >= 20, `${asked.length} times`);
});

test('one that gives nothing again and again is given up', async (context) => {
  const { store, asked } = await startMadeUpStore(context, (request, response) => {
    const { start, end } = rangeOf(request);
    beginAnswer(response, { start, end });
    if (start === 0) response.write(bytes.subarray(0, 100_000), () => response.destroy());
    else {
      response.flushHeaders();
      setImmediate(() => response.destroy());
    }
  });
  await assert.rejects(readAll(store, id, all), (cause) => cause instanceof StorageUnavailable);
  assert.ok(asked.length < 10, `${asked.length} times`);
});

test('a blob that is deleted under a broken read is missing', async (context) => {
  const { store } = await startMadeUpStore(context, (request, response) => {
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

test('a reader who pauses for long holds no connection, and reads on where he was', async (context) => {
  const answers: ServerResponse[] = [];
  const { store } = await startMadeUpStore(context, (request, response) => {
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
