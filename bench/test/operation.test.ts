import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { checkAnswer, type Operation, WrongAnswer } from '../src/load/operation.js';
import { listen } from './support/listen.js';

const server = createServer((request, response) => {
  if (request.url === '/missing') response.statusCode = 404;
  response.end(`you asked for ${request.url}`);
});
let url = '';

before(async () => {
  url = await listen(server);
});
after(() => server.close());

const get = (path: string, expected: Partial<Operation>): Operation => ({
  request: { method: 'GET', path },
  status: 200,
  ...expected,
});

test('right answers are accepted', async () => {
  await checkAnswer(url, get('/{key}', { includes: ['for /{key}'] }), 12);
  await checkAnswer(url, get('/x', { body: Buffer.from('you asked for /x') }), 0);
  await checkAnswer(url, get('/missing', { status: [200, 404] }), 0);
});

const wrong: Record<string, Operation> = {
  'another status': get('/missing', {}),
  'a missing text': get('/{key}', { includes: ['{key:1}'] }),
  'other bytes': get('/x', { body: Buffer.from('you asked for /y') }),
  'a body that is too short': get('/x', { atLeastBytes: 100 }),
};
for (const [name, operation] of Object.entries(wrong)) {
  test(`${name} is a wrong answer`, async () => {
    await assert.rejects(checkAnswer(url, operation, 12), WrongAnswer);
  });
}
