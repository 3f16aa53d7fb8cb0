import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Reply } from '../src/api.js';
import { freshBase, freshDrive } from '../src/names.js';
import { openRaw } from './support/raw-connection.js';
import { useService } from './support/service.js';

/** docs/http.md#caches: what a cache between the service and its client may keep. */
describe('what a cache may keep', { concurrency: true }, () => {
  const service = useService();

  test('no answer of the database API, no list and no error may be stored by a cache', async () => {
    const { api } = service;
    const base = freshBase(api);
    const drive = freshDrive(api);
    const replies: Readonly<Record<string, Reply>> = {
      put: await base.put({ key: 'k' }),
      item: await base.get('k'),
      missingItem: await base.get('none'),
      insert: await base.insert({ key: 'i' }),
      conflict: await base.insert({ key: 'i' }),
      update: await base.update('k', { set: { n: 1 } }),
      query: await base.query({}),
      badQuery: await base.query({ query: [{ 'a?like': 1 }] }),
      remove: await base.remove('k'),
      file: await drive.put('f', 'bytes'),
      tooLarge: await drive.put('f', Buffer.alloc(10 * 1024 * 1024 + 1)),
      list: await drive.list(),
      missingFile: await drive.get('none'),
      unsatisfiable: await drive.get('f', { Range: 'bytes=100-' }),
      failedCondition: await drive.get('f', { 'If-Match': '"another"' }),
      upload: await drive.initialize('g'),
      unauthorized: await api.send('GET', `${base.root}/items/k`, { key: 'wrong' }),
      unknownPath: await api.send('GET', '/nowhere'),
      wrongMethod: await api.send('DELETE', `${base.root}/query`),
      health: await api.send('GET', '/health'),
      // An Origin takes a request from the fast path to Node's reader, which writes its own heads.
      itemForPage: await api.send('GET', `${base.root}/items/i`, {
        headers: { Origin: 'https://a.example' },
      }),
      itemHead: await api.send('HEAD', `${base.root}/items/i`),
    };
    for (const [name, { headers }] of Object.entries(replies)) {
      assert.equal(headers['cache-control'], 'private, no-store', name);
    }
  });

  test('what S3 clients are refused may not be stored by a cache, whatever the path', async () => {
    const scope = '20260101/us-east-1/s3/aws4_request';
    const Authorization = `AWS4-HMAC-SHA256 Credential=NOBODY/${scope}, SignedHeaders=host, Signature=${'0'.repeat(64)}`;
    const [date, ecdsa] = ['20260101T000000Z', 'STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD'];
    for (const [headers, status] of [
      [{ 'amz-sdk-invocation-id': 'x' }, 403],
      [{ Authorization, 'x-amz-date': date, 'x-amz-content-sha256': ecdsa }, 501],
    ] as const) {
      const reply = await service.api.send('GET', '/public/p/d/page.html', { key: null, headers });
      assert.equal(reply.status, status);
      assert.equal(reply.headers['cache-control'], 'private, no-store');
    }
  });

  test('the refusal of bytes that are not HTTP may not be stored by a cache', async () => {
    const connection = await openRaw(service.target);
    connection.write('rubbish\r\n\r\n');
    assert.equal((await connection.reply()).headers['cache-control'], 'private, no-store');
    connection.destroy();
  });

  test('a download may be stored by its client only, which must revalidate it, per key and origin', async () => {
    const drive = freshDrive(service.api);
    await drive.put('f', 'some bytes');
    await drive.put('large', Buffer.alloc(1_000_000));
    const { etag } = (await drive.get('f')).headers;
    const replies: Readonly<Record<string, Reply>> = {
      whole: await drive.get('f'),
      streamed: await drive.get('large'),
      range: await drive.get('f', { Range: 'bytes=1-2' }),
      ranges: await drive.get('f', { Range: 'bytes=1-2,5-6' }),
      notModified: await drive.get('f', { 'If-None-Match': String(etag) }),
      head: await drive.head('f'),
      forPage: await drive.get('f', { Origin: 'https://a.example' }),
    };
    for (const [name, { headers }] of Object.entries(replies)) {
      assert.equal(headers['cache-control'], 'private, no-cache', name);
      assert.equal(headers.vary, 'X-API-Key, Origin', name);
    }
  });
});
