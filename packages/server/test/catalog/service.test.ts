import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { type Grant, limitedGrant, unlimitedGrant } from '../../src/access/grant.js';
import type { View } from '../../src/catalog/collections.js';
import type { NameQuery } from '../../src/catalog/names.js';
import { createCatalogService } from '../../src/catalog/service.js';
import type { ItemStore } from '../../src/engines/item-store.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import { RequestError } from '../../src/request-error.js';
import { baseSpace, driveSpace } from '../../src/spaces.js';

const stays = () => false;
const everything = unlimitedGrant('', '');
const view = (isAbandoned: () => boolean, shown: Grant = everything): View => ({ shown, isAbandoned });
const nowMs = 1_700_000_000_000;

describe('the catalog service', () => {
  let items: ItemStore;

  before(async () => {
    items = await openLevelStore({ memory: true });
  });
  after(() => items.close());

  async function putRows(space: string, rows: Readonly<Record<string, string>>): Promise<void> {
    const puts = Object.entries(rows).map(([key, text]) => {
      const expiry = /"(?:__expires|expiresAtSeconds)":(\d+)/.exec(text)?.[1];
      const due = expiry === undefined ? {} : { dueSeconds: Number(expiry) };
      return { key, value: Buffer.from(text), ...due };
    });
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
    expiring: { a: '{"key":"a","__expires":1700000001}' },
  };
  const driveRows = {
    nothing: {},
    file: { 'name/f': file(1), 'content/x': 'x' },
    expired: { 'name/f': file(1).replace('}', ',"expiresAtSeconds":1}') },
    'expired and not': { 'name/a': file(1).replace('}', ',"expiresAtSeconds":1}'), 'name/b': file(1) },
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
    const patterns = fc.option(
      fc.array(
        fc.oneof(
          text(1),
          text(0).map((beginning) => `${beginning}*`),
        ),
        { minLength: 1, maxLength: 4 },
      ),
      { nil: undefined },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(text(1), kinds(contents), { maxKeys: 8, noNullPrototype: true }),
        fc.dictionary(text(1), kinds(driveRows), { maxKeys: 8, noNullPrototype: true }),
        query,
        patterns,
        async (bases, drives, given, allowed) => {
          const project = `p${projects++}`;
          for (const [name, kind] of Object.entries(bases))
            await putRows(baseSpace(project, name), contents[kind]);
          for (const [name, kind] of Object.entries(drives))
            await putRows(driveSpace(project, name), driveRows[kind]);
          await putRows(baseSpace(`${project}-`, 'a'), contents.item);
          const service = createCatalogService(items, () => nowMs);
          const limits = { access: 'read', bases: allowed, drives: allowed } as const;
          const seen = view(stays, limitedGrant('', project, limits));
          const isAllowed = (name: string) =>
            allowed?.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : name === one)) ??
            true;
          const model = (of: Readonly<Record<string, string>>, listed: readonly string[]) =>
            Object.keys(of)
              .filter((name) => listed.includes(of[name] as string))
              .filter(isAllowed)
              .filter((name) => name.startsWith(given.prefix))
              .filter((name) => Buffer.compare(Buffer.from(name), Buffer.from(given.last)) > 0)
              .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
          assert.deepEqual(
            await walk((one) => service.list('bases', project, one, seen), given),
            model(bases, ['item', 'expired and not', 'expiring']),
          );
          assert.deepEqual(
            await walk((one) => service.list('drives', project, one, seen), given),
            model(drives, ['file', 'expired and not']),
          );
        },
      ),
      { numRuns: 400 },
    );
  });

  test('a limited key reads its own bases, however many the project has, and a page reads no more than it shows', async () => {
    const count = 600;
    for (let n = 0; n < count; n++) await putRows(baseSpace('many', `b${1000 + n}`), contents.item);
    let read = 0;
    let calls = 0;
    const watched: ItemStore = {
      ...items,
      async *spaces(...given) {
        calls++;
        for await (const space of items.spaces(...given)) {
          read++;
          yield space;
        }
      },
      async firstRows(spaces, range) {
        calls++;
        read += spaces.length;
        return await items.firstRows(spaces, range);
      },
      scanText: () => assert.fail('a scan'),
    };
    const service = createCatalogService(watched, () => nowMs);
    async function costOf(bases: readonly string[], query: Partial<NameQuery>) {
      [read, calls] = [0, 0];
      const grant = limitedGrant('', 'many', { access: 'read', bases });
      const asked = { prefix: '', last: '', limit: 1000, ...query };
      const { names } = await service.list('bases', 'many', asked, view(stays, grant));
      return { names: names.length, read, calls };
    }
    assert.deepEqual(await costOf(['b1599', 'none'], {}), { names: 1, read: 2, calls: 1 });
    assert.deepEqual(await costOf(['b159*', 'b1003'], {}), { names: 11, read: 21, calls: 2 });
    assert.deepEqual(await costOf(['b159*', 'b1003'], { last: 'b1597' }), { names: 2, read: 4, calls: 2 });
    assert.deepEqual(await costOf(['b159*'], { prefix: 'b1' }), { names: 10, read: 20, calls: 2 });
    assert.deepEqual(await costOf(['b1*'], { prefix: 'b159' }), { names: 10, read: 20, calls: 2 });
    assert.deepEqual(await costOf(['a*', 'c*'], {}), { names: 0, read: 0, calls: 2 });
    assert.deepEqual(await costOf(['*'], { limit: 10 }), { names: 10, read: 22, calls: 2 });
    assert.deepEqual(await costOf(['*'], {}), { names: count, read: 2 * count, calls: 4 });
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
    const hasty = createCatalogService(items, () => nowMs, { countMs: 0 });
    const { base, drive } = await hasty.stats('large', 'b', view(stays));
    assert.equal(base.exact, false);
    assert.equal(drive.exact, false);
    assert.deepEqual([base.rows, base.bytes, drive.rows], [undefined, undefined, undefined], 'no estimate');
    const small = await hasty.stats('large', 'never', view(stays));
    assert.deepEqual(small.base, { rows: 0, bytes: 0, exact: true });
  });

  test('a call ends when its client has gone', async () => {
    const service = createCatalogService(items, () => nowMs);
    const query = { prefix: '', last: '', limit: 1000 };
    await putRows(baseSpace('left', 'b'), contents.item);
    await putRows(driveSpace('left', 'b'), driveRows.file);
    await assert.rejects(
      service.list(
        'bases',
        'left',
        query,
        view(() => true),
      ),
      RequestError,
    );
    await assert.rejects(
      service.list(
        'drives',
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
