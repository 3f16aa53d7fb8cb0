import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Reply } from '../src/api.js';
import { type Base, freshBase } from '../src/names.js';
import { expectBadQuery, expectErrors, expectJson, expectStatus } from './support/expect.js';
import { createKey } from './support/keys.js';
import { useService } from './support/service.js';

const pastSeconds = 1;

describe('aggregates', { concurrency: true }, () => {
  const service = useService();
  const ask = (base: Base, json: unknown, key?: string): Promise<Reply> =>
    service.api.send('POST', `${base.root}/query/aggregate`, key === undefined ? { json } : { json, key });

  async function sales(): Promise<Base> {
    const base = freshBase(service.api);
    const lines = [
      '{"key":"a","city":"Oslo","price":0.1,"at":1700000000,"by":{"id":1}}',
      '{"key":"b","city":"Oslo","price":0.2,"at":"2023-11-15T00:10:00+01:00","by":{"id":1.0}}',
      '{"key":"c","city":"Rome","price":9007199254740993,"at":"2023-11-14"}',
      '{"key":"d","city":"Rome","price":"free","at":1702000000}',
      '{"key":"e","price":1.570,"at":"soon"}',
      `{"key":"gone","city":"Oslo","price":1000,"__expires":${pastSeconds}}`,
    ];
    expectStatus(await base.sendText('PUT', '/items', `{"items":[${lines.join()}]}`), 207);
    return base;
  }

  test('of all items are one object', async () => {
    const base = await sales();
    const aggregates = {
      n: { count: true },
      total: { sum: 'price' },
      mean: { avg: 'price' },
      least: { min: 'price' },
      most: { max: 'price' },
      cities: { distinct: 'city' },
      people: { distinct: 'by' },
    };
    const all = await ask(base, { aggregates });
    assert.equal(
      all.text,
      '{"n":5,"total":9007199254740994.9,"mean":2251799813685248.7,"least":0.1,"most":"free",' +
        '"cities":2,"people":1,"skipped":{"total":1,"mean":1,"cities":1,"people":3},"exact":false}',
    );
    const few = await ask(base, { query: { city: 'Oslo' }, aggregates });
    assert.equal(few.text, '{"n":2,"total":0.3,"mean":0.15,"least":0.1,"most":0.2,"cities":1,"people":1}');
    const none = await ask(base, { query: { city: 'Bern' }, aggregates });
    assert.equal(none.text, '{"n":0,"total":0,"mean":null,"least":null,"most":null,"cities":0,"people":0}');
    expectJson(await ask(freshBase(service.api), { aggregates: { n: { count: true } } }), 200, { n: 0 });
  });

  test('come by groups, in an order and by pages', async () => {
    const base = await sales();
    const n = { count: true };
    expectJson(await ask(base, { group: ['city'], aggregates: { n } }), 200, {
      groups: [
        { group: { city: 'Oslo' }, n: 2 },
        { group: { city: 'Rome' }, n: 2 },
        { group: {}, n: 1 },
      ],
      paging: { size: 3 },
    });
    const request = { group: ['city'], aggregates: { sum: { sum: 'price' } }, order: ['-sum'] };
    const seen: unknown[] = [];
    for (let last: string | undefined, pages = 0; pages < 4; pages++) {
      const reply = await ask(base, { ...request, limit: 1, last });
      expectStatus(reply, 200);
      const page = reply.json<{ groups: { sum: number }[]; paging: { size: number; last?: string } }>();
      assert.equal(page.paging.size, page.groups.length);
      seen.push(...page.groups.map(({ sum }) => sum));
      last = page.paging.last;
      if (last === undefined) break;
    }
    assert.deepEqual(seen, [Number('9007199254740993'), 1.57, 0.3]);
    expectErrors(
      await ask(base, { ...request, order: ['sum'], last: 'x' }),
      400,
      /^last: must be the paging/,
    );
    const none = { query: { city: 'Bern' }, group: ['city'], aggregates: { n } };
    expectJson(await ask(base, none), 200, { groups: [], paging: { size: 0 } });
  });

  test('by spans of time in UTC, of seconds and of ISO 8601 text', async () => {
    const base = await sales();
    const days = { group: [{ day: 'at' }], aggregates: { n: { count: true } } };
    expectJson(await ask(base, days), 200, {
      groups: [
        { group: { at: '2023-11-14' }, n: 3 },
        { group: { at: '2023-12-08' }, n: 1 },
        { group: {}, n: 1 },
      ],
      paging: { size: 3 },
    });
    const text = async (unit: string) => (await ask(base, { ...days, group: [{ [unit]: 'at' }] })).text;
    assert.match(await text('hour'), /"2023-11-14T00".*"2023-11-14T22".*"2023-11-14T23".*"2023-12-08T01"/);
    assert.match(await text('month'), /"2023-11"\},"n":3\}.*"2023-12"\},"n":1/);
    assert.match(await text('year'), /"2023"\},"n":4/);
  });

  test('are answered from an index alone if it decides them, and Server-Timing says so', async () => {
    const base = await sales();
    const request = { query: { city: 'Oslo' }, group: ['price'], aggregates: { n: { count: true } } };
    const before = await ask(base, request);
    assert.match(String(before.headers['server-timing']), /desc="[56] items, \d+ bytes", index;desc="none"/);
    const path = `${base.root}/indexes`;
    const json = { fields: ['city', 'price'] };
    expectStatus(await service.api.send('PUT', `${path}/by-city`, { json }), 202);
    const state = async () =>
      (await service.api.send('GET', path)).json<{ indexes: { state: string }[] }>().indexes[0]?.state;
    while ((await state()) !== 'ready') await new Promise((resolve) => setTimeout(resolve, 20));
    const after = await ask(base, request);
    assert.equal(after.text, before.text);
    assert.match(String(after.headers['server-timing']), /desc="0 items, 0 bytes", index;desc="by-city"/);
    const other = await ask(base, { ...request, group: ['at'] });
    assert.match(
      String(other.headers['server-timing']),
      /desc="[23] items, \d+ bytes", index;desc="by-city"/,
    );
  });

  test('bad members are answered with 400 that names them', async () => {
    const base = await sales();
    const aggregates = { n: { count: true } };
    const refused: [body: unknown, message: RegExp][] = [
      [{}, /^aggregates: must be an object/],
      [{ aggregates: [] }, /^aggregates: must be an object/],
      [{ aggregates: {} }, /^aggregates: must have 1 to 20/],
      [
        { aggregates: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [n, { count: true }])) },
        /1 to 20/,
      ],
      [{ aggregates: { n: 1 } }, /^aggregates\.n: must have one of count, sum/],
      [{ aggregates: { n: { median: 'a' } } }, /^aggregates\.n: must have one of/],
      [{ aggregates: { n: { sum: 'a', avg: 'a' } } }, /^aggregates\.n: must have one of/],
      [{ aggregates: { n: { count: 'a' } } }, /^aggregates\.n\.count: must be true/],
      [{ aggregates: { n: { sum: true } } }, /^aggregates\.n\.sum: must be an attribute path/],
      [{ aggregates: { n: { sum: 'a..b' } } }, /^aggregates\.n\.sum: the attribute path/],
      [{ aggregates: { n: { sum: 'a.0' } } }, /^aggregates\.n\.sum: must not lead through a list/],
      [{ aggregates: { '': { count: true } } }, /^aggregates\.: a name must not be empty/],
      [{ aggregates: { '-n': { count: true } } }, /^aggregates\.-n: a name must not begin with -/],
      [{ aggregates: { group: { count: true } } }, /^aggregates\.group: the answer has/],
      [{ aggregates, group: ['n'] }, /^aggregates\.n: group has a path/],
      [{ aggregates, group: 'city' }, /^group: must be a list/],
      [{ aggregates, group: [1] }, /^group\[0\]: must be an attribute path/],
      [{ aggregates, group: ['a', 'a'] }, /^group\[1\]: the path a is named twice/],
      [{ aggregates, group: ['at', { day: 'at' }] }, /^group\[1\]: the path at is named twice/],
      [{ aggregates, group: [{ week: 'at' }] }, /^group\[0\]: must have one of hour, day, month, year/],
      [{ aggregates, group: [{ day: 1 }] }, /^group\[0\]\.day: must be an attribute path/],
      [
        { aggregates, group: Array.from({ length: 11 }, (_, n) => `a${n}`) },
        /^group: has more than 10 paths/,
      ],
      [{ aggregates, group: ['city'], order: ['x'] }, /^order\[0\]: is no name/],
      [{ aggregates, group: ['city'], order: ['n', '-n'] }, /^order\[1\]: n is named twice/],
      [{ aggregates, group: ['city'], order: 'n' }, /^order: must be a list/],
      [{ aggregates, group: ['city'], limit: 0 }, /^limit: must be a whole number/],
      [{ aggregates, group: ['city'], last: 7 }, /^last: must be the paging.last of/],
      [{ aggregates, limit: 1 }, /^limit: needs group/],
      [{ aggregates, order: ['n'] }, /^order: needs group/],
      [{ aggregates, last: 'x' }, /^last: /],
    ];
    for (const [body, message] of refused) expectErrors(await ask(base, body), 400, message);
    const none = (await ask(base, { aggregates: {} })).json<{ codes: unknown }>();
    assert.deepEqual(none.codes, [{ code: 'empty', path: 'aggregates' }]);
    expectBadQuery(await ask(base, { aggregates, query: { 'a?like': 1 } }));
    expectErrors(await service.api.send('GET', `${base.root}/query/aggregate`), 405);
    expectErrors(await base.sendText('POST', '/query/aggregate', '{}', 'text/plain'), 415);
  });

  test('a key with a prefix sees only what begins with it', async () => {
    const base = await sales();
    const { key } = await createKey(service.api, { access: 'read', prefix: 'a' });
    const body = { aggregates: { n: { count: true }, last: { max: 'key' } } };
    expectJson(await ask(base, body, key), 200, { n: 1, last: 'a' });
    const { key: other } = await createKey(service.api, { access: 'read', bases: ['other'] });
    expectErrors(await ask(base, body, other), 403);
  });
});
