import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { importProject } from '../../src/node.js';
import { objectJson } from '../support/arbitrary-json.js';
import { openProjectService, temporaryFolder } from '../support/archive-project.js';
import { cutOff, fakeService, json, type Reaction } from '../support/fake-service.js';

const stored: Reaction = (response, { text }) => {
  response.writeHead(200).end(`{"stored":${text.trim().split('\n').length},"failed":0}\n`);
};

/** Imports the lines of a file, and gives the bodies that arrive. The first answers are those that are given. */
async function sent(context: TestContext, file: string, ...first: Reaction[]): Promise<string[]> {
  const { url, seen } = await fakeService(context, json(200, { access: 'full' }), ...first, stored);
  const path = join(await temporaryFolder(context), 'items');
  await writeFile(path, file);
  await importProject(path, { url, key: 'demo_s3cret', bases: ['b'] });
  return seen.slice(1).map(({ text }) => text);
}

const generated = /^\{"key":"[a-z0-9]{12}"/;

test('an item without a key gets one before it is sent, so that a lost answer stores it once', async (context) => {
  const bodies = await sent(context, '{"a":1}\n{}\n{"key":"mine"}\n', cutOff);
  assert.equal(bodies.length, 2);
  assert.equal(bodies[0], bodies[1]);
  const [first = '', second = '', third] = (bodies[0] ?? '').split('\n');
  assert.match(first, /^\{"key":"[a-z0-9]{12}","a":1\}$/);
  assert.match(second, /^\{"key":"[a-z0-9]{12}"\}$/);
  assert.notEqual(first.slice(0, 20), second.slice(0, 20));
  assert.equal(third, '{"key":"mine"}');
});

test('an import whose answer is lost stores every item once', async (context) => {
  const service = await openProjectService();
  context.after(() => service.close());
  const { url, key } = service.newProject();
  const path = join(await temporaryFolder(context), 'items.json');
  await writeFile(path, '[{"a":1},{"a":2},{"a":3}]');
  let imports = 0;
  // The service does the first request, and its answer does not arrive.
  const losing: Reaction = (response, { method, path: asked, headers, body }) => {
    const send = async () => {
      const answer = await fetch(url + asked, {
        method,
        headers: { 'X-API-Key': key, 'Content-Type': headers['content-type'] ?? '' },
        ...(body.length > 0 && { body: new Uint8Array(body) }),
      });
      const text = await answer.text();
      if (asked.includes('/items?') && ++imports === 1) response.socket?.destroy();
      else response.writeHead(answer.status).end(text);
    };
    void send();
  };
  const lossy = await fakeService(context, losing);
  assert.equal((await importProject(path, { url: lossy.url, key, bases: ['b'] })).items, 3);
  assert.equal(imports, 2);
  const stats = await fetch(`${url}/v1/${key.split('_')[0]}/b/stats`, { headers: { 'X-API-Key': key } });
  assert.equal(((await stats.json()) as { base: { items: number } }).base.items, 3);
});

test('every other byte is sent as it is: items that have a key, and what is no item', async (context) => {
  const lines = [
    '{"\\u006bey":"escaped","n":1.50}',
    '{"n":1,"key":"later"}',
    '{"key":"a","key":"b"}',
    '{"key":null}',
    '{"key":7}',
    ' {"n" : 1E-7 , "key":"spaces"}',
    '{"__proto__":1,"key":"p"}',
    '[1]',
    '"text"',
    '7',
    'null',
    '{"n":1',
    '{"n":1} x',
    '{"n":01}',
  ];
  assert.deepEqual(await sent(context, lines.join('\n')), [`${lines.join('\n')}\n`]);
  const keyless = [
    '{"a":{"key":"inside"},"n":1.50,"large":9007199254740993}',
    ' { "__expires" : 4102444800 }',
    '{ }',
    '{"text":"\\"key\\":"}',
    '{"a":1,"a":2}',
    '{"__proto__":{"key":1}}',
  ];
  const [body = ''] = await sent(context, keyless.join('\n'));
  const rest = body.trimEnd().split('\n');
  for (const [n, line] of keyless.entries()) {
    const text = rest[n] ?? '';
    assert.match(text, generated);
    assert.equal(text.replace(/^\{"key":"[a-z0-9]{12}",?/, '{'), line.trimStart());
    assert.deepEqual(Object.keys(JSON.parse(text)).length, Object.keys(JSON.parse(line)).length + 1);
  }
});

test('any object without a key differs from what is sent by its key alone', async (context) => {
  const keyless = objectJson.filter(
    (text) => !Object.hasOwn(JSON.parse(text), 'key') && !text.includes('"items"'),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(keyless, { minLength: 2, maxLength: 8 }), async (list) => {
      const [body = ''] = await sent(context, list.join('\n'));
      const back = body.trimEnd().split('\n');
      assert.deepEqual(
        back.map((text) => text.replace(/^\{"key":"[a-z0-9]{12}",?/, '{')),
        list,
      );
      for (const text of back) assert.match(text, generated);
    }),
    { numRuns: 30 },
  );
});
