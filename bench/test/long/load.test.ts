import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { loadWithAutocannon } from '../../src/load/autocannon.js';
import type { Load } from '../../src/load/load.js';
import { loadWithWrk, wrkIsInstalled } from '../../src/load/wrk.js';
import { listen } from '../support/listen.js';

/** A server that records every request and answers 500 below `/broken`. */
const seen: string[] = [];
const server = createServer(async (request, response) => {
  seen.push(`${request.method} ${request.url} ${request.headers['x-mark']} ${await text(request)}`);
  if (request.url?.startsWith('/broken')) response.statusCode = 500;
  response.end('{}');
});
let url = '';

before(async () => {
  url = await listen(server);
});
after(() => server.close());

const generators = [
  { name: 'autocannon', generate: loadWithAutocannon, skip: false },
  { name: 'wrk', generate: loadWithWrk, skip: wrkIsInstalled() ? false : 'wrk is not installed' },
];

for (const { name, generate, skip } of generators) {
  const load = (path: string): Load => ({
    url,
    connections: 2,
    seconds: 1,
    keys: { kind: 'fresh', from: 700 },
    requests: [
      {
        weight: 50,
        request: { method: 'PUT', path, headers: { 'X-Mark': 'a' }, body: '{"a":"{key:1}","b":"{key64}"}' },
      },
      { weight: 50, request: { method: 'GET', path, headers: { 'X-Mark': 'b' } } },
    ],
  });

  test(`${name} sends what the templates say, and each fresh key once`, { skip }, async () => {
    const result = await generate(load(`/${name}/{key}`));
    assert.ok(result.requests > 10, `${result.requests} requests`);
    assert.equal(result.errors, 0);
    // The last requests of an earlier load may arrive late.
    const lines = seen.filter((line) => line.includes(` /${name}/`));
    const numbers = lines.map((line) => Number(/\/(\d{12})/.exec(line)![1]));
    assert.equal(new Set(numbers).size, numbers.length);
    assert.ok(numbers.every((number) => number >= 700));
    for (const line of lines) {
      const key = /\/(\d{12})/.exec(line)![1]!;
      const next = String(Number(key) + 1).padStart(12, '0');
      const put = `PUT /${name}/${key} a {"a":"${next}","b":"${Buffer.from(key).toString('base64')}"}`;
      assert.ok([put, `GET /${name}/${key} b `].includes(line), line);
    }
    for (const method of ['PUT', 'GET'])
      assert.ok(
        lines.some((line) => line.startsWith(method)),
        method,
      );
  });

  test(`${name} begins anywhere, if the keys of requests may overlap`, { skip }, async () => {
    const keys = { kind: 'random', below: 3, anywhere: true } as const;
    const request = { method: 'GET', path: `/${name}-anywhere/{key}/{key:1000}` };
    await generate({ ...load(''), keys, requests: [{ weight: 100, request }] });
    const firsts = seen.flatMap(
      (line) => new RegExp(`/${name}-anywhere/(\\d+)/(\\d+)`).exec(line)?.slice(1, 3) ?? [],
    );
    assert.deepEqual([...new Set(firsts.map(Number))].sort(), [0, 1, 1000, 1001, 1002, 2]);
  });

  test(`${name} counts answers that are errors`, { skip }, async () => {
    const result = await generate(load('/broken/{key}'));
    assert.ok(result.errors > 10, `${result.errors} errors`);
  });
}
