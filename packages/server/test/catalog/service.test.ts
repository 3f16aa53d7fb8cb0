import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { unlimitedGrant } from '../../src/access/grant.js';
import { createCatalogService, type NameQuery, type View } from '../../src/catalog/service.js';
import type { ItemStore } from '../../src/engines/item-store.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import { RequestError } from '../../src/request-error.js';
import { baseSpace, driveSpace } from '../../src/spaces.js';

const stays = () => false;
const view = (isAbandoned: () => boolean): View => ({ shown: unlimitedGrant('', ''), isAbandoned });
const nowMs = 1_700_000_000_000;

describe('the catalog service', () => {
  let items: ItemStore;

  before(async () => {
    items = await openLevelStore({ memory: true });
  });
  after(() => items.close());

  async function putRows(space: string, rows: Readonly<Record<string, string>>): Promise<void> {
    const puts = Object.entries(rows).map(([key, text]) => ({ key, value: Buffer.from(text) }));
    for (let at = 0; at < puts.length; at += 5000) {
      await items.transact(space, [], () => ({ puts: puts.slice(at, at + 5000), result: null }));
    }
  }

  const file = (sizeBytes: number) => JSON.stringify({ id: 'x', layout: 'row', sizeBytes });
  const contents = {
    nothing: {},
    item: { k: '{"key":"k"}' },
    expired: { a: '{"key":"a","__expires":1}', b: '{"key":"b","__expires":1699999999}' },
    'expired and not': { a: '{"key":"a","__expires":1}', b: '{"key":"b","__expires":1700000001}' },
  };
  const driveRows = {
    nothing: {},
    file: { 'name/f': file(1), 'content/x': 'x' },
    leftovers: {
      'upload/1': '{}',
      'part/1/00001': '{}',
      'garbage/x': '{}',
      'content/x': 'x',
      nam: '',
      name0: '',
    },
  };
  let projects = 0;

  async function walk(
    list: (query: NameQuery) => Promise<{ names: readonly string[]; more: boolean }>,
    given: NameQuery,
  ) {
    const all: string[] = [];
    for (let last = given.last; ; ) {
      const { names, more } = await list({ ...given, last });
      assert.ok(names.length <= given.limit);
      all.push(...names);
      if (!more) return all;
      assert.equal(names.length, given.limit);
      last = names.at(-1) as string;
    }
  }

  test('lists are what a plain model says', async () => {
    const character = fc.constantFrom('a', 'b', '/', ' ', 'é', '\uffff', '😀');
    const text = (minLength: number) => fc.string({ unit: character, minLength, maxLength: 3 });
    const kinds = <T extends object>(of: T) => fc.constantFrom(...(Object.keys(of) as (keyof T)[]));
    const query = fc.record({
      prefix: fc.string({ unit: character, maxLength: 1 }),
      last: text(0),
      limit: fc.integer({ min: 1, max: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(text(1), kinds(contents), { maxKeys: 8, noNullPrototype: true }),
        fc.dictionary(text(1), kinds(driveRows), { maxKeys: 8, noNullPrototype: true }),
        query,
        async (bases, drives, given) => {
          const project = `p${projects++}`;
          for (const [name, kind] of Object.entries(bases))
            await putRows(baseSpace(project, name), contents[kind]);
          for (const [name, kind] of Object.entries(drives))
            await putRows(driveSpace(project, name), driveRows[kind]);
          await putRows(baseSpace(`${project}-`, 'a'), contents.item);
          const service = createCatalogService(items, () => nowMs);
          const model = (of: Readonly<Record<string, string>>, listed: readonly string[]) =>
            Object.keys(of)
              .filter((name) => listed.includes(of[name] as string))
              .filter((name) => name.startsWith(given.prefix))
              .filter((name) => Buffer.compare(Buffer.from(name), Buffer.from(given.last)) > 0)
              .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
          assert.deepEqual(
            await walk((one) => service.listBases(project, one, view(stays)), given),
            model(bases, ['item', 'expired and not']),
          );
          assert.deepEqual(
            await walk((one) => service.listDrives(project, one, view(stays)), given),
            model(drives, ['file']),
          );
        },
      ),
      { numRuns: 150 },
    );
  });

  test('what cannot be counted in its time is estimated, and says so', async () => {
    const count = 20_000;
    const key = (n: number) => `k${String(n).padStart(6, '0')}`;
    const itemRows = Array.from({ length: count }, (_, n) => [key(n), `{"key":"${key(n)}"}`]);
    const fileRows = Array.from({ length: count }, (_, n) => [`name/${key(n)}`, file(1000)]);
    await putRows(baseSpace('large', 'b'), Object.fromEntries(itemRows));
    await putRows(driveSpace('large', 'b'), Object.fromEntries(fileRows));
    await putRows(driveSpace('large', 'b'), driveRows.leftovers);
    const counted = await createCatalogService(items, () => nowMs).stats('large', 'b', view(stays));
    const bytes = count * '{"key":"k000000"}'.length;
    assert.deepEqual(counted.base, { rows: count, bytes, exact: true });
    assert.deepEqual(counted.drive, { rows: count, bytes: 1000 * count, exact: true });
    const hasty = createCatalogService(items, () => nowMs, { countMs: 0, estimateMs: 0 });
    const { base, drive } = await hasty.stats('large', 'b', view(stays));
    assert.equal(base.exact, false);
    assert.equal(drive.exact, false);
    for (const [estimated, exact] of [
      [base.rows, count],
      [base.bytes, bytes],
      [drive.rows, count],
      [drive.bytes, 1000 * count],
    ] as const) {
      assert.ok(estimated > exact / 3 && estimated < exact * 3, `${estimated} instead of ${exact}`);
      assert.ok(Number.isInteger(estimated));
    }
    const small = await hasty.stats('large', 'never', view(stays));
    assert.deepEqual(small.base, { rows: 0, bytes: 0, exact: true });
  });

  test('a call ends when its client has gone', async () => {
    const service = createCatalogService(items, () => nowMs);
    const query = { prefix: '', last: '', limit: 1000 };
    await putRows(baseSpace('left', 'b'), contents.item);
    await putRows(driveSpace('left', 'b'), driveRows.file);
    await assert.rejects(
      service.listBases(
        'left',
        query,
        view(() => true),
      ),
      RequestError,
    );
    await assert.rejects(
      service.listDrives(
        'left',
        query,
        view(() => true),
      ),
      RequestError,
    );
    await assert.rejects(
      service.stats(
        'left',
        'b',
        view(() => true),
      ),
      RequestError,
    );
    let asked = 0;
    await putRows(
      baseSpace('left', 'many'),
      Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`${n}`, '{}'])),
    );
    await assert.rejects(
      service.stats(
        'left',
        'many',
        view(() => ++asked > 2),
      ),
      RequestError,
    );
    assert.ok(asked < 8, `asked ${asked} times`);
  });

  test('two collections are counted at a time, whoever asks', async () => {
    let open = 0;
    let most = 0;
    const watched: ItemStore = {
      ...items,
      async *scanText(...given) {
        most = Math.max(most, ++open);
        try {
          yield* items.scanText(...given);
        } finally {
          open--;
        }
      },
    };
    const service = createCatalogService(watched, () => nowMs);
    await Promise.all(Array.from({ length: 20 }, () => service.stats('large', 'b', view(stays))));
    assert.equal(most, 2);
    assert.equal(open, 0);
  });
});
