import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestServer } from '../../src/testing/index.js';
import { requestsTo } from '../support/test-requests.js';

test('a ticket opens streams for five minutes, which stay open after it and end with its key', async (context) => {
  const server = await startTestServer();
  context.after(() => server.stop());
  const { control, url, project } = server;
  const { send } = requestsTo(server);
  const made = await send('POST', '/keys', { access: 'read', expires_in: 600 });
  const { key } = (await made.json()) as { key: string };
  const asked = await fetch(`${url}/v1/${project}/changes/tickets`, {
    method: 'POST',
    headers: { 'X-API-Key': key },
  });
  const ticket = (await asked.json()) as { url: string; expires: number };
  assert.equal(ticket.expires, Math.floor(control.now() / 1000) + 300);
  const statusNow = async () => {
    const aborted = new AbortController();
    const { status } = await fetch(ticket.url, { signal: aborted.signal });
    aborted.abort();
    return status;
  };
  control.advance('4m');
  assert.deepEqual([await statusNow(), await statusNow()], [200, 200]);
  const stream = (await fetch(ticket.url)).body?.pipeThrough(new TextDecoderStream()).getReader();
  assert.ok(stream);
  const until = async (text: string) => {
    for (let seen = ''; !seen.includes(text); ) {
      const { value, done } = await stream.read();
      if (done) return 'ended';
      seen += value;
    }
    return 'came';
  };
  assert.equal(await until('event: live'), 'came');
  control.advance('1m');
  assert.equal(await statusNow(), 403);
  await send('PUT', '/users/items', { items: [{ key: 'ada' }] });
  assert.equal(await until('"ada"'), 'came');
  control.advance('5m');
  assert.equal(await until('nothing'), 'ended');
});
