import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { describe, test } from 'node:test';
import { freshBase, freshDrive } from '../src/names.js';
import { expectStatus } from './support/expect.js';
import { linksOf } from './support/links.js';
import { useService } from './support/service.js';

const ndjson = 'application/x-ndjson';
/** Together they are far more than the buffers of two sockets hold, which grow to 36 MB. */
const items = 200;
const itemBytes = 400_000;
/** Any of several servers may answer: so often in a row, and all of them know. */
const refusals = 20;

describe('requests in progress when their key is deleted', () => {
  const service = useService();
  const keysPath = () => `/v1/${service.target.project}/keys`;

  async function newKey(access = 'write'): Promise<{ readonly id: string; readonly key: string }> {
    const made = await service.api.send('POST', keysPath(), { json: { access } });
    expectStatus(made, 201);
    const { id, key } = made.json<{ id: string; key: string }>();
    // Another server learns of it later.
    await repeatedly(key, 200);
    return { id, key };
  }

  async function repeatedly(key: string, status: number): Promise<void> {
    for (let seen = 0; seen < refusals; ) {
      const answer = await service.api.send('GET', `${keysPath()}?self=true`, { key });
      seen = answer.status === status ? seen + 1 : 0;
    }
  }

  async function deleteKey({ id, key }: { readonly id: string; readonly key: string }): Promise<void> {
    expectStatus(await service.api.send('DELETE', `${keysPath()}?id=${id}`), 200);
    await repeatedly(key, 401);
  }

  /** A request whose answer is not read yet, on a connection of its own. */
  function begin(method: string, path: string, key: string, headers = {}): ClientRequest {
    const { url, authority } = service.target;
    const options: RequestOptions & { ca?: Buffer | undefined } = {
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port,
      method,
      path,
      headers: { 'X-API-Key': key, ...headers },
      agent: false,
      ca: authority,
    };
    return url.protocol === 'https:' ? secureRequest(options) : request(options);
  }

  /** The bytes that arrive, and whether they end as they should. */
  async function read(
    answer: IncomingMessage,
  ): Promise<{ readonly bytes: number; readonly isWhole: boolean }> {
    let bytes = 0;
    try {
      for await (const chunk of answer) bytes += (chunk as Buffer).length;
      return { bytes, isWhole: answer.complete };
    } catch {
      return { bytes, isWhole: false };
    }
  }

  test('an export ends, and its client sees that it is not whole', async () => {
    const base = freshBase(service.api);
    const text = 'x'.repeat(itemBytes);
    const lines = Array.from({ length: items }, (_, n) => `${JSON.stringify({ key: `k${n}`, text })}\n`);
    for (let at = 0; at < items; at += 20)
      expectStatus(await base.sendText('PUT', '/items', lines.slice(at, at + 20).join(''), ndjson), 200);
    const key = await newKey();
    const exporting = begin('GET', `${base.root}/items`, key.key);
    exporting.end();
    const [answer] = (await once(exporting, 'response')) as [IncomingMessage];
    assert.equal(answer.statusCode, 200);
    await deleteKey(key);
    const { bytes, isWhole } = await read(answer);
    assert.equal(isWhole, false, `${bytes} bytes`);
    assert.ok(bytes < items * itemBytes, `all ${bytes} bytes were given`);
  });

  test('an import ends; what was stored stays, and what comes later is not stored', async () => {
    const base = freshBase(service.api);
    const key = await newKey();
    const importing = begin('PUT', `${base.root}/items`, key.key, { 'Content-Type': ndjson });
    const ended = new Promise<number | undefined>((resolve) => {
      importing.once('response', (answer: IncomingMessage) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      importing.once('error', () => resolve(undefined));
    });
    importing.write('{"key":"before"}\n');
    while ((await base.get('before')).status !== 200);
    await deleteKey(key);
    importing.write('{"key":"after"}\n');
    const status = await ended;
    importing.destroy();
    assert.ok(status === 401 || status === undefined, String(status));
    expectStatus(await base.get('before'), 200);
    expectStatus(await base.get('after'), 404);
  });

  test('a download ends with all of its bytes, as one of a file that was deleted', async () => {
    const drive = freshDrive(service.api);
    const bytes = 10 * 1024 * 1024;
    expectStatus(await drive.put('f', Buffer.alloc(bytes, 'x')), 201);
    const key = await newKey();
    const download = begin('GET', `${drive.root}/files/download?name=f`, key.key);
    download.end();
    const [answer] = (await once(download, 'response')) as [IncomingMessage];
    await deleteKey(key);
    assert.deepEqual(await read(answer), { bytes, isWhole: true });
  });

  test('an upload by a link of the key is refused, and nothing is stored', async () => {
    const drive = freshDrive(service.api);
    const { linkOf, pathOf, use, expectInvalid } = linksOf(service);
    const key = await newKey('full');
    const link = { method: 'POST', max_bytes: 1_000_000, parts: true };
    const whole = await linkOf(drive, { ...link, name: 'whole' }, key.key);
    const inParts = await linkOf(drive, { ...link, name: 'in-parts' }, key.key);
    const opened = await use('POST', `${inParts}/uploads`);
    expectStatus(opened, 202);
    const { upload_id: uploadId } = opened.json<{ upload_id: string }>();
    const half = Buffer.alloc(100_000, 'x');
    const uploads = await Promise.all(
      [pathOf(whole), `${pathOf(inParts)}/uploads/${uploadId}/parts?part=1`].map(async (path) => {
        const headers = { Expect: '100-continue', 'Content-Length': 2 * half.length };
        const upload = begin('POST', path, key.key, headers);
        const answered = once(upload, 'response') as Promise<[IncomingMessage]>;
        upload.flushHeaders();
        await once(upload, 'continue');
        upload.write(half);
        return { upload, answered };
      }),
    );
    await deleteKey(key);
    for (const { upload, answered } of uploads) {
      upload.end(half);
      const [answer] = await answered;
      answer.resume();
      assert.equal(answer.statusCode, 403);
    }
    expectInvalid(await use('POST', whole, { body: 'later' }));
    expectStatus(await drive.get('whole'), 404);
    const { uploads: open } = (await service.api.send('GET', `${drive.root}/uploads`)).json<{
      uploads: unknown[];
    }>();
    assert.deepEqual(open, [{ upload_id: uploadId, name: 'in-parts' }]);
    const parts = await service.api.send('GET', `${drive.root}/uploads/${uploadId}?name=in-parts`);
    assert.deepEqual(parts.json<{ parts: unknown[] }>().parts, []);
  });
});
