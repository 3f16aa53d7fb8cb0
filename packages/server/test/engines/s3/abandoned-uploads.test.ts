import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { test } from 'node:test';
import { startFakeStore } from '../../support/s3-fake-store.js';

const dayMs = 24 * 60 * 60 * 1000;

test('multipart uploads are old by the clock of the store, which dates them', async (context) => {
  const storeMs = Date.now() - 3 * dayMs;
  const ended = new EventEmitter();
  const { store, requests } = await startFakeStore(context, (request, response) => {
    response.setHeader('Date', new Date(storeMs).toUTCString());
    if (request.method === 'DELETE') {
      response.statusCode = 204;
      response.end(() => ended.emit('aborted'));
    } else if (request.url?.includes('uploads'))
      response.end(uploadsAt(storeMs - dayMs / 2, storeMs - 2 * dayMs));
    else response.end('<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>');
  });
  const aborted = once(ended, 'aborted');
  for await (const { id } of store.ids()) assert.fail(id);
  await aborted;
  await store.close();
  assert.deepEqual(
    requests.filter((line) => line.startsWith('DELETE')),
    ['DELETE /bucket/upload1?uploadId=id1&x-id=AbortMultipartUpload'],
  );
});

function uploadsAt(...times: readonly number[]): string {
  const uploads = times.map((ms, n) => {
    const initiated = new Date(ms).toISOString();
    return `<Upload><Key>upload${n}</Key><UploadId>id${n}</UploadId><Initiated>${initiated}</Initiated></Upload>`;
  });
  return `<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>${uploads.join('')}</ListMultipartUploadsResult>`;
}
