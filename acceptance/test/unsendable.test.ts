import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshName } from '../src/names.js';
import { useService } from './support/service.js';

// Each of these has ended a server: what is refused here must not reach a header, nor a parser's callback.

const service = useService();
const type = 'multipart/form-data; boundary=B';
const part = (head: string, body: string) => `--B\r\n${head}\r\n\r\n${body}\r\n--B--\r\n`;
const root = (name: string) => `/v1/${service.target.project}/${name}`;

async function isServing(): Promise<void> {
  const answer = await service.api.send('GET', `${root('alive')}/items/none`);
  assert.equal(answer.status, 404);
}

test('a form that is posted to a bucket with a field that has no name', async () => {
  const body = part('Content-Disposition: form-data', 'v');
  const headers = { 'Content-Type': type };
  const answer = await service.api.send('POST', `/${freshName('bucket')}`, { key: null, headers, body });
  assert.ok([400, 403, 404].includes(answer.status), `${answer.status}`);
  await isServing();
});

test('a form whose file has a type that no header may have', async () => {
  const drive = freshName('drive');
  const head = 'Content-Disposition: form-data; name="file"; filename="a"\r\nContent-Type: text/\u0001plain';
  const headers = { 'Content-Type': type };
  const path = `${root(drive)}/files?name=a`;
  const answer = await service.api.send('POST', path, { headers, body: part(head, 'x'.repeat(30_000)) });
  assert.equal(answer.status, 400);
  assert.equal((await service.api.send('GET', `${root(drive)}/files/download?name=a`)).status, 404);
  await isServing();
});

test('a form of thousands of parts', async () => {
  const body = '--B\r\n\r\n\r\n'.repeat(100_000);
  const path = `${root(freshName('drive'))}/files?name=a`;
  const answer = await service.api.send('POST', path, { headers: { 'Content-Type': type }, body });
  assert.equal(answer.status, 400);
  await isServing();
});

test('a member of the body that every object of JavaScript has', async () => {
  for (const name of ['__proto__', 'constructor', 'hasOwnProperty', 'toString']) {
    const body = `{"${name}":"x"}`;
    const headers = { 'Content-Type': 'application/json' };
    const path = `/v1/${service.target.project}/changes/tickets`;
    const answer = await service.api.send('POST', path, { headers, body });
    assert.equal(answer.status, 400, name);
  }
});
