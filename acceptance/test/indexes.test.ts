import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { type Base, freshBase, freshName } from '../src/names.js';
import { expectErrors, expectJson, expectStatus } from './support/expect.js';
import { useService } from './support/service.js';
import { withoutUses } from './support/without-uses.js';

interface Listed {
  readonly indexes: readonly { name: string; fields: string[]; state: string; entries: number }[];
}

describe('indexes', { concurrency: true }, () => {
  const service = useService();
  const send = (method: string, base: Base, path: string, json?: unknown) =>
    service.api.send(method, `${base.root}/indexes${path}`, json === undefined ? {} : { json });
  const declare = (base: Base, name: string, fields: unknown) => send('PUT', base, `/${name}`, { fields });
  const list = async (base: Base) => withoutUses((await send('GET', base, '')).json<Listed>().indexes);

  async function untilReady(base: Base): Promise<void> {
    while ((await list(base)).some(({ state }) => state !== 'ready')) await wait(10);
  }

  async function people(count = 60): Promise<Base> {
    const base = freshBase(service.api);
    for (let at = 0; at < count; at += 20) {
      const items = Array.from({ length: 20 }, (_, n) => ({
        key: `p${String(at + n).padStart(3, '0')}`,
        age: (at + n) % 7,
        city: (at + n) % 2 === 0 ? 'Oslo' : 'Rome',
      }));
      expectStatus(await base.put(...items), 207);
    }
    return base;
  }

  async function asked(base: Base, query: object) {
    const answer = await base.query(query);
    expectStatus(answer, 200);
    const timing = String(answer.headers['server-timing']);
    const [, index] = /index;desc="(.*?)"/.exec(timing) ?? [];
    return { index, text: answer.text };
  }

  test('an index is declared, built, listed and dropped', async () => {
    const base = await people();
    assert.deepEqual(await list(base), []);
    const declared = { name: 'by-age', fields: ['age'], state: 'building' };
    expectJson(await declare(base, 'by-age', ['age']), 202, declared);
    await untilReady(base);
    const index = { ...declared, state: 'ready' };
    assert.deepEqual(await list(base), [{ ...index, entries: 60, exact: true }]);
    expectJson(await declare(base, 'by-age', ['age']), 200, index);
    expectErrors(
      await declare(base, 'by-age', ['city']),
      409,
      /^The index exists with other fields, or is of another kind$/,
    );
    expectJson(await send('DELETE', base, '/by-age'), 200, { name: 'by-age' });
    assert.deepEqual(await list(base), []);
    expectJson(await send('DELETE', base, '/by-age'), 200, { name: 'by-age' });
    expectStatus(await declare(base, 'by-age', ['city']), 202);
  });

  test('answers stay the same, and say which index was used', async () => {
    const base = await people();
    const queries = [
      { order: ['age'] },
      { order: ['-age'], limit: 7 },
      { order: ['-age'], sort: 'desc', offset: 5, limit: 10, count: true },
      { query: { city: 'Oslo' }, order: ['-age'], limit: 5 },
      { query: { city: 'Oslo' }, order: ['key'], limit: 5 },
      { query: { 'age?r': [2, 3] }, order: ['age', '-city'] },
      { query: { 'age?lt': 3 }, limit: 2, count: true },
    ];
    const before = await Promise.all(queries.map((query) => asked(base, query)));
    for (const { index } of before) assert.equal(index, 'none');
    for (const [name, fields] of [
      ['age', ['age']],
      ['city/age', ['city', 'age']],
      ['age city', ['age', 'city']],
    ] as const) {
      expectStatus(await declare(base, encodeURIComponent(name), fields), 202);
    }
    await untilReady(base);
    for (const [n, query] of queries.entries()) {
      const { index, text } = await asked(base, query);
      assert.equal(text, before[n]?.text, JSON.stringify(query));
      if (n !== 2) assert.notEqual(index, 'none', JSON.stringify(query));
    }
    assert.equal((await asked(base, queries[3] as object)).index, 'city%2Fage');
    assert.equal((await asked(base, queries[5] as object)).index, 'age%20city');
    expectJson(
      await service.api.send('POST', `${base.root}/query/count`, { json: { query: { city: 'Rome' } } }),
      200,
      { count: 30 },
    );
  });

  test('every way to change items keeps the index in step', async () => {
    const base = await people(20);
    expectStatus(await declare(base, 'by-age', ['age']), 202);
    const oldest = async () => {
      const answer = await base.query({ query: { 'age?gt': 100 }, order: ['-age'] });
      return answer.json<{ items: { key: string }[] }>().items.map(({ key }) => key);
    };
    await untilReady(base);
    expectStatus(await base.put({ key: 'put', age: 101 }), 207);
    expectStatus(await base.insert({ key: 'insert', age: 102 }), 201);
    expectStatus(await base.update('p001', { set: { age: 103 } }), 200);
    const operations = [{ put: { key: 't', age: 104 } }, { delete: { key: 'insert' } }];
    expectStatus(await service.api.send('POST', `${base.root}/transactions`, { json: { operations } }), 200);
    assert.deepEqual(await oldest(), ['t', 'p001', 'put']);
    const lines = '{"key":"line","age":105}\n{"key":"t","age":1}\n';
    const imported = await service.api.send('PUT', `${base.root}/items`, {
      body: lines,
      type: 'application/x-ndjson',
    });
    expectStatus(imported, 200);
    const change = { query: { 'age?gt': 100 }, increment: { age: 1 } };
    expectStatus(await service.api.send('POST', `${base.root}/query/update`, { json: change }), 200);
    expectStatus(await base.remove('put'), 200);
    assert.deepEqual(await oldest(), ['line', 'p001']);
    expectStatus(await base.put({ key: 'gone', age: 200, __expires: 1 }), 207);
    assert.deepEqual(await oldest(), ['line', 'p001']);
    expectStatus(await service.api.send('DELETE', `${base.root}/items?all=true`), 200);
    assert.deepEqual(await oldest(), []);
    assert.deepEqual(
      (await list(base)).map(({ name, entries }) => [name, entries]),
      [['by-age', 0]],
    );
  });

  test('a broken declaration is answered with its rule, and nothing is declared', async () => {
    const base = await people(20);
    const cases: [unknown, string][] = [
      [undefined, 'fields: must be a list of attribute paths'],
      ['age', 'fields: must be a list of attribute paths'],
      [{ 0: 'age' }, 'fields: must be a list of attribute paths'],
      [[], 'fields: has 0 paths, must have 1 to 4'],
      [['a', 'b', 'c', 'd', 'e'], 'fields: has 5 paths, must have 1 to 4'],
      [['age', 7], 'fields[1]: must be an attribute path'],
      [['age', 'b', 'age'], 'fields[2]: the path age is named twice'],
      [['-age'], 'fields[0]: must not begin with -, because an index serves both directions'],
      [['key'], 'fields[0]: must not be key, because items are ordered by key without an index'],
      [['a..b'], 'fields[0]: the attribute path is empty or has an empty segment'],
      [[''], 'fields[0]: the attribute path is empty or has an empty segment'],
      [['tags.0'], 'fields[0]: must not lead through a list, as the segment 0 does'],
      [['x'.repeat(1025)], 'fields[0]: has 1025 bytes of UTF-8, at most 1024'],
      [[Array(101).fill('a').join('.')], 'fields[0]: the attribute path has more than 100 segments'],
    ];
    for (const [fields, message] of cases) {
      assert.deepEqual(expectErrors(await declare(base, 'x', fields), 400), [message]);
    }
    expectErrors(await declare(base, 'none', ['age']), 400, /none/);
    expectErrors(await declare(base, '%00', ['age']), 400, /^index: control characters are not allowed$/);
    expectErrors(await declare(base, 'x'.repeat(256), ['age']), 400, /256 bytes of UTF-8, at most 255/);
    expectErrors(await send('PUT', base, '/x', [1]), 400, /^body: must be a JSON object$/);
    expectStatus(await send('POST', base, '/x', {}), 405);
    expectStatus(await send('PUT', base, '', {}), 405);
    assert.deepEqual(await list(base), []);
    for (let n = 0; n < 8; n++) expectStatus(await declare(base, `i${n}`, [`a${n}`]), 202);
    expectErrors(await declare(base, 'i8', ['a']), 400, /^index: a base may have 8 indexes$/);
    expectStatus(await declare(base, 'i7', ['a7']), 200);
  });

  test('rows of an index are seen by nobody', async () => {
    const base = await people(20);
    const stats = async () => (await service.api.send('GET', `${base.root}/stats`)).text;
    const everything = async () => [
      await stats(),
      (await base.query({})).text,
      (await base.query({ sort: 'desc' })).text,
      (await base.query({ query: { 'key?lt': 'p' } })).text,
      (await base.query({ query: { 'key?gte': '\0' }, limit: 3 })).text,
      (await base.query({ query: { 'key?pfx': '\0' } })).text,
      (await base.query({ query: { key: '\0' } })).text,
      (await base.query({ query: { 'key?r': ['\0', '\u0001'] } })).text,
      (await base.query({ last: '\0' })).text,
      (await base.query({ last: 'p000', sort: 'desc' })).text,
      (await service.api.send('GET', `${base.root}/items`)).text,
      (await service.api.send('POST', `${base.root}/query/count`, { json: {} })).text,
    ];
    const before = await everything();
    expectStatus(await declare(base, 'by-age', ['age']), 202);
    await untilReady(base);
    assert.deepEqual(await everything(), before);
    const name = freshName('base');
    const empty = freshBase(service.api, name);
    expectStatus(await declare(empty, 'by-age', ['age']), 202);
    const { project } = service.api.target;
    const listed = await service.api.send('GET', `/v1/${project}/bases?prefix=${name}`);
    expectJson(listed, 200, { bases: [] });
  });
});
