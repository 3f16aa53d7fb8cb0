import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { checkAnswer, type Operation, WrongAnswer } from '../src/load/operation.js';

const server = createServer((request, response) => {
  if (request.url === '/missing') response.statusCode = 404;
  response.end(`you asked for ${request.url}`);
});
let url = '';

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(address !== null && typeof address !== 'string');
  url = `http://127.0.0.1:${address.port}`;
});
after(() => server.close());

const get = (path: string, expected: Partial<Operation>): Operation => ({
  request: { method: 'GET', path },
  status: 200,
  ...expected,
});

test('right answers pass', async () => {
  await checkAnswer(url, get('/{key}', { includes: ['for /{key}'] }), 12);
  await checkAnswer(url, get('/x', { body: Buffer.from('you asked for /x') }), 0);
  await checkAnswer(url, get('/missing', { status: [200, 404] }), 0);
});

const wrong: Record<string, Operation> = {
  'another status': get('/missing', {}),
  'a text that is not there': get('/{key}', { includes: ['{key:1}'] }),
  'other bytes': get('/x', { body: Buffer.from('you asked for /y') }),
  'too short a body': get('/x', { atLeastBytes: 100 }),
};
for (const [name, operation] of Object.entries(wrong)) {
  test(`${name}: a wrong answer`, async () => {
    await assert.rejects(checkAnswer(url, operation, 12), WrongAnswer);
  });
}
