import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { type TestContext, test } from 'node:test';
import { startTestServer } from '../../src/testing/index.js';
import { requestsTo } from '../support/test-requests.js';

const linkSeconds = 60;

async function start(context: TestContext) {
  const server = await startTestServer();
  context.after(() => server.stop());
  return { ...server, ...requestsTo(server) };
}
type Server = Awaited<ReturnType<typeof start>>;

async function uploadLink({ send }: Server, name: string) {
  const upload = { name, method: 'POST', expires_in: linkSeconds, max_bytes: 1000, parts: true };
  const made = await send('POST', '/drive/links', { ...upload, listed: true });
  const { links } = (await made.json()) as { links: { id: string; url: string }[] };
  return links[0] as (typeof links)[number];
}

async function partsOf(link: string): Promise<string> {
  const opened = await fetch(`${link}/uploads`, { method: 'POST' });
  const { upload_id: id } = (await opened.json()) as { upload_id: string };
  return `${link}/uploads/${id}/parts?part=1`;
}

const form = (text: string) =>
  `--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n${text}\r\n--b--\r\n`;
const whole = async (link: string) => link;

/** How bytes are sent: where to, and with which head. */
const ways = [
  { way: 'a short body', to: whole, headers: { 'Content-Length': '2' }, body: 'ab' },
  { way: 'a streamed body', to: whole, headers: {}, body: 'ab' },
  {
    way: 'a form',
    to: whole,
    headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
    body: form('ab'),
  },
  { way: 'a part', to: partsOf, headers: { 'Content-Length': '2' }, body: 'ab' },
  { way: 'a streamed part', to: partsOf, headers: {}, body: 'ab' },
];

/** docs/http.md#links */
for (const [ending, end] of [
  ['expires', async ({ control }: Server) => control.advance(`${linkSeconds}s`)],
  ['is ended', async ({ send }: Server, id: string) => void (await send('DELETE', `/drive/links?id=${id}`))],
] as const) {
  for (const { way, to, headers, body } of ways) {
    test(`${way} is not stored that arrives while its link ${ending}`, async (context) => {
      const server = await start(context);
      const { id, url } = await uploadLink(server, 'f');
      const upload = request(await to(url), {
        method: 'POST',
        headers: { Expect: '100-continue', ...headers },
        agent: false,
      });
      const answered = once(upload, 'response') as Promise<[IncomingMessage]>;
      upload.flushHeaders();
      await once(upload, 'continue');
      const middle = body.indexOf('ab') + 1;
      upload.write(body.slice(0, middle));
      await end(server, id);
      upload.end(body.slice(middle));
      const [answer] = await answered;
      answer.resume();
      assert.equal(answer.statusCode, 403);
      assert.equal(await server.status('/drive/files/download?name=f'), 404);
      const open = (await (await server.send('GET', '/drive/uploads')).json()) as { uploads: unknown[] };
      for (const { upload_id: uploadId } of open.uploads as { upload_id: string }[]) {
        const found = await server.send('GET', `/drive/uploads/${uploadId}?name=f`);
        assert.deepEqual(((await found.json()) as { parts: unknown[] }).parts, []);
      }
    });
  }
}

test('what has arrived before its link ends is stored', async (context) => {
  const server = await start(context);
  const { url } = await uploadLink(server, 'f');
  server.control.advance(`${linkSeconds - 30}s`);
  assert.equal((await fetch(url, { method: 'POST', body: 'ab' })).status, 201);
});
