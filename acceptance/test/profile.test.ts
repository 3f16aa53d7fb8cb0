import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { expectJson, expectStatus } from './support/expect.js';
import { createKey } from './support/keys.js';
import { useService } from './support/service.js';

interface Profile {
  readonly items: number;
  readonly complete: boolean;
  readonly places: number;
  readonly all_attributes: boolean;
  readonly attributes: readonly Attribute[];
}
interface Attribute {
  readonly path: string;
  readonly items: number;
  readonly types: Readonly<Record<string, number>>;
  readonly strings?: { readonly min: string; readonly max: string };
  readonly distinct?: number;
  readonly values: readonly { readonly value: unknown; readonly items: number }[];
}

describe('the profile of a base', () => {
  const service = useService();
  let bases = 0;

  async function baseOf(items: readonly string[]): Promise<string> {
    const root = `/v1/${service.target.project}/profiled-${bases++}`;
    const type = 'application/x-ndjson';
    expectStatus(await service.api.send('PUT', `${root}/items`, { body: items.join('\n'), type }), 200);
    return root;
  }
  const ask = (root: string, json: object = {}, key = service.target.key) =>
    service.api.send('POST', `${root}/query/profile`, { json, key });
  const attributeOf = ({ attributes }: Profile, path: string) => attributes.find((one) => one.path === path);

  test('of an empty base is empty', async () => {
    expectJson(await ask(`/v1/${service.target.project}/never-written`), 200, {
      items: 0,
      complete: true,
      places: 1,
      all_attributes: true,
      attributes: [],
    });
  });

  test('has shares, types, ranges and frequent values, with every digit', async () => {
    const root = await baseOf([
      '{"key":"a","n":9007199254740993,"city":"Rome","home":{"zip":"1"},"tags":["x"],"a.b":1,"on":true}',
      '{"key":"b","n":9007199254740992,"city":"Rome","home":{"zip":"2"}}',
      '{"key":"c","n":null,"city":"Äthen \\"quoted\\""}',
    ]);
    const { text } = await ask(root);
    const profile = JSON.parse(text) as Profile;
    assert.deepEqual(
      profile.attributes.map(({ path, items }) => [path, items]),
      [
        ['key', 3],
        ['n', 3],
        ['city', 3],
        ['home', 2],
        ['home.zip', 2],
        ['tags', 1],
        ['on', 1],
      ],
    );
    assert.match(text, /"numbers":\{"min":9007199254740992,"max":9007199254740993\}/);
    assert.deepEqual(attributeOf(profile, 'n')?.types, { number: 2, null: 1 });
    assert.deepEqual(attributeOf(profile, 'city'), {
      path: 'city',
      items: 3,
      types: { string: 3 },
      strings: { min: 'Rome', max: 'Äthen "quoted"' },
      distinct: 2,
      values: [
        { value: 'Rome', items: 2 },
        { value: 'Äthen "quoted"', items: 1 },
      ],
    });
    assert.deepEqual(attributeOf(profile, 'tags'), {
      path: 'tags',
      items: 1,
      types: { list: 1 },
      values: [],
    });
  });

  test('has values that are equal once, and strings in the order of their bytes', async () => {
    const texts = ['a', 'a b', '\u0001', '"', `${'b'.repeat(99)}😀`, `${'b'.repeat(99)}\uffee`];
    const root = await baseOf([
      ...['1', '1.0', '10e-1', '-0', '0.0', '2'].map((n, at) => `{"key":"n${at}","n":${n}}`),
      ...texts.map((text, at) => JSON.stringify({ key: `t${at}`, text, [at < 2 ? 'short' : 'other']: text })),
    ]);
    const { text } = await ask(root);
    const profile = JSON.parse(text) as Profile;
    assert.deepEqual(attributeOf(profile, 'n'), {
      path: 'n',
      items: 6,
      types: { number: 6 },
      numbers: { min: -0, max: 2 },
      distinct: 3,
      values: [
        { value: 1, items: 3 },
        { value: -0, items: 2 },
        { value: 2, items: 1 },
      ],
    });
    const rangeOf = (path: string) => attributeOf(profile, path)?.strings;
    assert.deepEqual(rangeOf('short'), { min: 'a', max: 'a b' });
    assert.deepEqual(rangeOf('text'), { min: '\u0001', max: `${'b'.repeat(99)}😀` });
  });

  test('is of what matches the query, within the prefix of the key', async () => {
    const root = await baseOf(
      Array.from({ length: 30 }, (_, n) => `{"key":"${n % 2 ? 'odd' : 'even'}-${n}","n":${n}}`),
    );
    const profile = (await ask(root, { query: { 'n?lt': 10 } })).json<Profile>();
    assert.deepEqual([profile.items, profile.complete], [10, true]);
    const { key } = await createKey(service.api, { access: 'read', prefix: 'odd-', expires_in: 60 });
    const narrowed = (await ask(root, {}, key)).json<Profile>();
    assert.equal(narrowed.items, 15);
    expectStatus(await ask(root, { query: { 'n?unknown': 1 } }), 400);
  });

  test('of more items is that of a sample, which has some of every part of the keys', async () => {
    const all = 22_000;
    const late = (n: number) => (n >= 21_000 ? `,"late":true` : '');
    const root = await baseOf([
      ...Array.from({ length: all }, (_, n) => `{"key":"order:${100_000 + n}","n":${n}${late(n)}}`),
      ...Array.from({ length: 30 }, (_, n) => `{"key":"user/${n}","user":${n}}`),
    ]);
    const profile = (await ask(root)).json<Profile>();
    assert.equal(profile.complete, false);
    assert.ok(profile.items > 10_000 && profile.items <= 20_000, String(profile.items));
    assert.ok(profile.places > 8 && profile.places <= 32, String(profile.places));
    assert.ok((attributeOf(profile, 'late')?.items ?? 0) > 0);
    assert.equal(attributeOf(profile, 'user')?.items, 30);
    const n = attributeOf(profile, 'n');
    assert.equal(n?.distinct, undefined);
    assert.deepEqual(n?.values, []);
    const exactly = (await ask(root, { query: { 'n?lt': 20_000 } })).json<Profile>();
    assert.deepEqual([exactly.items, exactly.complete], [20_000, true]);
  });

  test('has at most 200 attributes, and says that there are more', async () => {
    const members = Array.from({ length: 250 }, (_, n) => `"a${n}":${n}`).join();
    const root = await baseOf([`{"key":"k",${members}}`]);
    const profile = (await ask(root)).json<Profile>();
    assert.deepEqual([profile.attributes.length, profile.all_attributes], [200, false]);
  });
});
