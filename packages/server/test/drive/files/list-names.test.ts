import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { type ListQuery, listNames } from '../../../src/drive/files/list-names.js';
import { nameKey } from '../../../src/drive/rows.js';
import type { ItemStore } from '../../../src/engines/item-store.js';
import { openLevelStore } from '../../../src/engines/level/store.js';

describe('list', () => {
  let items: ItemStore;
  let spaces = 0;

  before(async () => {
    items = await openLevelStore({ memory: true });
  });
  after(() => items.close());

  async function spaceWith(names: readonly string[]): Promise<string> {
    const space = `drive/demo/${spaces++}`;
    const puts = names.map((name) => ({ key: nameKey(name), value: Buffer.from('{}') }));
    // Neighbours of the names in the same space are no names.
    const others = ['content/1', 'garbage/1', 'part/1/00001', 'upload/1', 'nam', 'name0'];
    await items.transact(space, [], () => ({
      puts: [...puts, ...others.map((key) => ({ key, value: Buffer.from('{}') }))],
      result: null,
    }));
    return space;
  }

  const query = (given: Partial<ListQuery>): ListQuery => ({
    prefix: '',
    within: '',
    last: '',
    limit: 1000,
    recursive: true,
    nowSeconds: 0,
    ...given,
  });
  const list = async (space: string, given: Partial<ListQuery> = {}) => listNames(items, space, query(given));

  test('gives no names of an unknown drive', async () => {
    assert.deepEqual(await list('drive/demo/never'), { names: [], more: false });
  });

  test('gives names in the order of their UTF-8 bytes, a page at a time', async () => {
    const space = await spaceWith(['b', 'a', '\uffff', '😀', 'é', 'Z']);
    const all = ['Z', 'a', 'b', 'é', '\uffff', '😀'];
    assert.deepEqual(await list(space), { names: all, more: false });
    assert.deepEqual(await list(space, { limit: 6 }), { names: all, more: false });
    assert.deepEqual(await list(space, { limit: 5 }), { names: all.slice(0, 5), more: true });
    assert.deepEqual(await list(space, { last: 'b' }), { names: all.slice(3), more: false });
    assert.deepEqual(await list(space, { last: 'aa', limit: 1 }), { names: ['b'], more: true });
  });

  test('gives each directory behind the prefix once, with its slash', async () => {
    const space = await spaceWith(['a', 'a!', 'a/b', 'a/c/d', 'a/c/e', 'a0', 'b/x', 'b/y', '/root', 'c//d']);
    const names = async (given: Partial<ListQuery>) =>
      (await list(space, { recursive: false, ...given })).names;
    assert.deepEqual(await names({}), ['/', 'a', 'a!', 'a/', 'a0', 'b/', 'c/']);
    assert.deepEqual(await names({ prefix: 'a/' }), ['a/b', 'a/c/']);
    assert.deepEqual(await names({ prefix: 'a' }), ['a', 'a!', 'a/', 'a0']);
    assert.deepEqual(await names({ last: 'a/' }), ['a0', 'b/', 'c/']);
    assert.deepEqual(await names({ last: 'a/b' }), ['a0', 'b/', 'c/']);
    assert.deepEqual(await names({ prefix: 'a/', last: 'a/b' }), ['a/c/']);
    assert.deepEqual(await names({ prefix: 'a/', last: 'a/c/' }), []);
    assert.deepEqual(await names({ prefix: 'c/' }), ['c//']);
  });

  test('reads few rows of a directory of many files, and gives the names after it', async () => {
    const many = Array.from({ length: 3000 }, (_, n) => `big/${String(n).padStart(5, '0')}`);
    const space = await spaceWith(['a', ...many, 'c', 'd/1', 'd/2']);
    let rows = 0;
    const counting: ItemStore = {
      ...items,
      async *scanText(...given) {
        for await (const batch of items.scanText(...given)) {
          rows += batch.length;
          yield batch;
        }
      },
    };
    const page = await listNames(counting, space, query({ recursive: false }));
    assert.deepEqual(page, { names: ['a', 'big/', 'c', 'd/'], more: false });
    assert.ok(rows < 1000, `${rows} rows read`);
  });

  test('gives pages of any size that together equal those of a plain model', async () => {
    const characters = fc.constantFrom('a', 'b', '/', '0', '.', 'é', '😀');
    // No file has a name that ends with a slash.
    const name = fc
      .string({ unit: characters, minLength: 1, maxLength: 6 })
      .filter((text) => !text.endsWith('/'));
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(name, { maxLength: 30 }),
        fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 3 }),
        fc.integer({ min: 1, max: 5 }),
        fc.boolean(),
        async (names, prefix, limit, recursive) => {
          const space = await spaceWith(names);
          const listed: string[] = [];
          for (let last = '', more = true; more; last = listed.at(-1) ?? '') {
            const page = await list(space, { prefix, limit, recursive, last });
            assert.ok(page.names.length <= limit);
            assert.ok(!page.more || page.names.length === limit);
            listed.push(...page.names);
            more = page.more;
          }
          assert.deepEqual(listed, model(names, prefix, recursive));
        },
      ),
      { numRuns: 200 },
    );
  });
});

/** The obvious way: filter, cut, sort by bytes, each once. */
function model(names: readonly string[], prefix: string, recursive: boolean): string[] {
  const cut = (name: string) => {
    const slash = name.indexOf('/', prefix.length);
    return recursive || slash === -1 ? name : name.slice(0, slash + 1);
  };
  const found = new Set(names.filter((name) => name.startsWith(prefix)).map(cut));
  return [...found].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}
