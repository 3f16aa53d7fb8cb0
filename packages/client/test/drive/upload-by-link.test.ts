import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BasedriveError, Drive, uploadByLink } from '../../src/in-node.js';
import { freshName, key, useService } from '../support/service.js';

const mib = 1024 * 1024;
const hasCode = (code: string) => (error: unknown) => error instanceof BasedriveError && error.code === code;

const hasStatus = (status: number) => (error: unknown) =>
  error instanceof BasedriveError && error.status === status;

/** A `fetch` that notes the requests, and fails from the one on whose number it gets. */
function counting(failsFrom = Number.POSITIVE_INFINITY) {
  const sent: string[] = [];
  const send: typeof fetch = (url, init) => {
    const { pathname, search } = new URL(String(url));
    assert.equal(new Headers(init?.headers).get('x-api-key'), null);
    sent.push(
      `${init?.method} ${pathname.replace(/^.*?(\/uploads|$)/, '$1')}${search}`.replace(/\/\w{20,}/, '/ID'),
    );
    return sent.length < failsFrom ? fetch(url, init) : Promise.reject(new TypeError('fetch failed'));
  };
  return { sent, fetch: send };
}

/** docs/http.md#links */
describe('an upload by a link', { concurrency: true }, () => {
  const service = useService();
  const open = () => Drive(freshName(), { key, url: service.url });
  const retry = { times: 0 };

  test('stores a small file in one request, once, with its type', async () => {
    const drive = open();
    const { url } = await drive.uploadLink('in/a b.txt', { expireIn: 60 });
    const seen: number[] = [];
    const { sent, fetch } = counting();
    const file = new Blob(['hällo'], { type: 'text/x-own' });
    await uploadByLink(url, file, { fetch, onProgress: ({ sent: bytes }) => seen.push(bytes) });
    assert.equal(sent.length, 1);
    assert.equal(seen.at(-1), 6);
    assert.equal(await (await drive.get('in/a b.txt'))?.text(), 'hällo');
    const { files } = await drive.list({ details: true });
    assert.equal(files?.[0]?.content_type, 'text/x-own');
    await assert.rejects(uploadByLink(url, 'again'), hasCode('conflict'));
    await assert.rejects(uploadByLink(`${url}x`, 'again'), hasCode('forbidden'));
    await assert.rejects(uploadByLink('no link', 'again'), hasCode('invalid'));
  });

  test('of a large file goes on where it was, with nothing but the link', async () => {
    const drive = open();
    const { url } = await drive.uploadLink('film', { expireIn: 600, parts: true, maxBytes: 100 * mib });
    const bytes = Buffer.alloc(23 * mib, 'film');
    bytes.write('the end', bytes.length - 7);
    const cut = counting(5);
    const options = { concurrency: 1, retry };
    await assert.rejects(uploadByLink(url, bytes, { ...options, fetch: cut.fetch }));
    assert.deepEqual(cut.sent.slice(0, 4), [
      'POST /uploads',
      'GET /uploads/ID',
      'POST /uploads/ID/parts?&part=1',
      'POST /uploads/ID/parts?&part=2',
    ]);
    const rest = counting();
    await uploadByLink(url, bytes, { ...options, fetch: rest.fetch });
    // The first part is as large as a file of one request.
    assert.deepEqual(rest.sent, [
      'POST /uploads',
      'GET /uploads/ID',
      'POST /uploads/ID/parts?&part=3',
      'POST /uploads/ID/parts?&part=4',
      'PATCH /uploads/ID',
    ]);
    const stored = Buffer.from((await (await drive.get('film'))?.arrayBuffer()) as ArrayBuffer);
    assert.ok(stored.equals(bytes));
  });

  test('sends everything again if that is wanted, or what was sent has other sizes', async () => {
    const drive = open();
    const { url } = await drive.uploadLink('film', {
      expireIn: 600,
      parts: true,
      maxBytes: 100 * mib,
      contentType: 'video/*',
    });
    const [first, second] = [Buffer.alloc(16 * mib, 'a'), Buffer.alloc(16 * mib, 'b')];
    const options = { concurrency: 1, retry, contentType: 'video/mp4' };
    await assert.rejects(uploadByLink(url, first, { ...options, fetch: counting(5).fetch }));
    await uploadByLink(url, second, { ...options, resume: false });
    const stored = Buffer.from((await (await drive.get('film'))?.arrayBuffer()) as ArrayBuffer);
    assert.ok(stored.equals(second));
  });

  test('that is larger than the link allows, or not for parts, is refused', async () => {
    const drive = open();
    const small = await drive.uploadLink('a', { expireIn: 60 });
    await assert.rejects(uploadByLink(small.url, Buffer.alloc(16 * mib)), hasStatus(403));
    const bounded = await drive.uploadLink('b', { expireIn: 60, parts: true, maxBytes: 12 * mib });
    await assert.rejects(uploadByLink(bounded.url, Buffer.alloc(16 * mib)), hasStatus(413));
    assert.equal(await drive.get('b'), null);
  });
});
