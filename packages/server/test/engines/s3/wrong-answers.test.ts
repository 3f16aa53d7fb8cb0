import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { BlobMissing, StorageUnavailable } from '../../../src/engines/storage-errors.js';
import { randomId } from '../../../src/lib/random-id.js';
import { inChunks, patterned, readAll } from '../../support/s3-bytes.js';
import { startFakeStore } from '../../support/s3-fake-store.js';

const unavailable = (words: RegExp) => (cause: unknown) =>
  cause instanceof StorageUnavailable && words.test(cause.message);
const small = patterned(1000, 1);
const id = randomId();
const object = `/bucket/${id.slice(0, 2)}/${id}`;

const wrongAnswers = [
  { what: 'other bytes', etag: '0'.repeat(32), length: 1000, words: /other bytes/ },
  { what: 'fewer bytes', etag: 'not an md5', length: 999, words: /999 bytes/ },
];
for (const { what, etag, length, words } of wrongAnswers) {
  test(`a write is refused and its object deleted if the store has ${what} than it was sent`, async (context) => {
    const { store, requests } = await startFakeStore(context, (request, response) => {
      request.resume();
      response.setHeader('ETag', `"${etag}"`);
      if (request.method === 'HEAD') response.setHeader('Content-Length', length);
      response.end();
    });
    await assert.rejects(store.write(id, [small]), unavailable(words));
    assert.equal(requests.at(-1), `DELETE ${object}?x-id=DeleteObject`);
  });
}

test('a refusal is told with its status and code, though its message may say nothing', async (context) => {
  const { store } = await startFakeStore(context, (request, response) => {
    request.resume();
    response.statusCode = 403;
    const code = '<Error><Code>ExpiredToken</Code><Message>no</Message></Error>';
    response.end(request.method === 'PUT' ? code : '');
  });
  await assert.rejects(
    store.write(id, [small]),
    unavailable(/^The S3 store is unavailable: status 403, ExpiredToken, no$/),
  );
  await assert.rejects(store.readWhole(id, 1), unavailable(/^The S3 store is unavailable: status 403$/));
});

test('a multipart upload is aborted if the store has other bytes of a part than it was sent', async (context) => {
  const { store, requests } = await startFakeStore(context, (request, response) => {
    request.resume();
    if (request.method === 'PUT') response.setHeader('ETag', `"${'0'.repeat(32)}"`);
    const begun = '<InitiateMultipartUploadResult><UploadId>one</UploadId></InitiateMultipartUploadResult>';
    response.end(request.method === 'POST' ? begun : '');
  });
  await assert.rejects(store.write(id, inChunks(patterned(12_000_000, 1))), unavailable(/other bytes/));
  assert.deepEqual(requests, [
    `POST ${object}?uploads=`,
    `PUT ${object}?partNumber=1&uploadId=one&x-id=UploadPart`,
    `DELETE ${object}?uploadId=one&x-id=AbortMultipartUpload`,
  ]);
});

test('a multipart upload is refused and its object deleted if the object is too small', async (context) => {
  const { store, requests } = await startFakeStore(context, async (request, response) => {
    const md5 = createHash('md5');
    for await (const chunk of request) md5.update(chunk);
    if (request.method === 'PUT') response.setHeader('ETag', `"${md5.digest('hex')}"`);
    if (request.method === 'HEAD') response.setHeader('Content-Length', 6_999_999);
    const begun = '<InitiateMultipartUploadResult><UploadId>one</UploadId></InitiateMultipartUploadResult>';
    const made = '<CompleteMultipartUploadResult></CompleteMultipartUploadResult>';
    response.end(request.method !== 'POST' ? '' : request.url?.endsWith('?uploads=') ? begun : made);
  });
  await assert.rejects(store.write(id, inChunks(patterned(7_000_000, 1))), unavailable(/6999999 bytes/));
  assert.equal(requests.at(-1), `DELETE ${object}?x-id=DeleteObject`);
});

for (const isThere of [true, false]) {
  const what = isThere ? 'an object' : 'nothing';
  test(`an upload that is unknown when it is ended once more has left ${what}`, async (context) => {
    let completions = 0;
    const { store } = await startFakeStore(context, async (request, response) => {
      const md5 = createHash('md5');
      for await (const chunk of request) md5.update(chunk);
      if (request.method === 'PUT') response.setHeader('ETag', `"${md5.digest('hex')}"`);
      if (request.method === 'HEAD') {
        if (!isThere) response.statusCode = 404;
        else response.setHeader('Content-Length', 7_000_000);
      }
      if (request.method !== 'POST') response.end();
      else if (request.url?.endsWith('?uploads='))
        response.end(
          '<InitiateMultipartUploadResult><UploadId>one</UploadId></InitiateMultipartUploadResult>',
        );
      else if (completions++ === 0) request.socket.destroy();
      else response.writeHead(404).end('<Error><Code>NoSuchUpload</Code></Error>');
    });
    const written = store.write(id, inChunks(patterned(7_000_000, 1)));
    if (isThere) assert.equal((await written).sizeBytes, 7_000_000);
    else await assert.rejects(written, StorageUnavailable);
    assert.equal(completions, 2);
  });
}

test('a store may take longer than other calls to make an object of parts, and sends blanks meanwhile', async (context) => {
  const { store, requests } = await startFakeStore(context, async (request, response) => {
    const md5 = createHash('md5');
    for await (const chunk of request) md5.update(chunk);
    if (request.method === 'PUT') response.setHeader('ETag', `"${md5.digest('hex')}"`);
    if (request.method === 'HEAD') response.setHeader('Content-Length', 7_000_000);
    const begun = '<InitiateMultipartUploadResult><UploadId>one</UploadId></InitiateMultipartUploadResult>';
    if (request.method === 'POST' && !request.url?.endsWith('?uploads=')) {
      response.write('<?xml version="1.0" encoding="UTF-8"?>\n');
      for (let blanks = 0; blanks < 2; blanks++) {
        await pause(10_500);
        response.write(' ');
      }
      response.end('<CompleteMultipartUploadResult></CompleteMultipartUploadResult>');
    } else response.end(request.method === 'POST' ? begun : '');
  });
  assert.equal((await store.write(id, inChunks(patterned(7_000_000, 1)))).sizeBytes, 7_000_000);
  assert.equal(requests.filter((each) => each.startsWith('POST')).length, 2);
});

test('a read of a range fails before its first chunk if the store answers with all bytes', async (context) => {
  const { store } = await startFakeStore(context, (_, response) => void response.end(small));
  const chunks = store.read(id, { start: 10, end: 19 })[Symbol.asyncIterator]();
  await assert.rejects(chunks.next(), unavailable(/1000 bytes/));
});

test('a read fails before its first chunk if the store answers with fewer bytes than requested', async (context) => {
  const { store } = await startFakeStore(context, (_, response) => {
    response.writeHead(206, { 'Content-Length': 500, 'Content-Range': 'bytes 500-999/1000' });
    response.end(small.subarray(500));
  });
  await assert.rejects(readAll(store, id, { start: 500, end: 1499 }), unavailable(/500 bytes/));
});

for (const body of ['', '404 page not found\n', '<html><body>default backend - 404</body></html>']) {
  test(`a proxy that answers 404 because its store is away makes no blob missing: ${JSON.stringify(body)}`, async (context) => {
    const { store } = await startFakeStore(context, (_, response) => response.writeHead(404).end(body));
    await assert.rejects(readAll(store, id), unavailable(/S3 store is unavailable/));
  });
}

const noObject = [
  { what: 'the code', headers: {}, body: '<Error><Code>NoSuchKey</Code></Error>' },
  { what: 'its request id and no code', headers: { 'x-amz-request-id': 'tx1' }, body: '' },
];
for (const { what, headers, body } of noObject) {
  test(`a blob is missing if the store answers 404 with ${what}`, async (context) => {
    const { store } = await startFakeStore(context, (_, response) =>
      response.writeHead(404, headers).end(body),
    );
    await assert.rejects(readAll(store, id), (cause) => cause instanceof BlobMissing);
  });
}

test('a delete of many objects carries the MD5 of its list, which every store knows', async (context) => {
  const md5s: [unknown, string][] = [];
  const { store } = await startFakeStore(context, async (request, response) => {
    const md5 = createHash('md5');
    for await (const chunk of request) md5.update(chunk);
    md5s.push([request.headers['content-md5'], md5.digest('base64')]);
    assert.equal(request.headers['x-amz-checksum-crc32'], undefined);
    response.end('<DeleteResult><Error><Key>a</Key><Code>SlowDown</Code></Error></DeleteResult>');
  });
  await assert.rejects(store.delete([id]), unavailable(/SlowDown/));
  assert.equal(md5s.length, 1);
  assert.equal(md5s[0]?.[0], md5s[0]?.[1]);
});
