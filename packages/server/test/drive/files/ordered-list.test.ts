import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { type OrderName, orderNames } from '../../../src/drive/files/list-order.js';
import { listOrdered, type OrderedListQuery } from '../../../src/drive/files/ordered-list.js';
import { type FileRow, fileRow } from '../../../src/drive/rows.js';
import type { ItemStore } from '../../../src/engines/item-store.js';
import { openLevelStore } from '../../../src/engines/level/store.js';
import { opaqueText } from '../../../src/lib/text/opaque-list.js';
import { propertyRuns } from '../../support/property-runs.js';

interface File {
  readonly name: string;
  readonly size: number;
  readonly modified: number;
  readonly type: string;
  readonly isExpired: boolean;
}

const nowSeconds = 1000;
const word = fc.constantFrom('a', 'b', 'é', '\uffff', '😀', 'A', 'ab');
const files = fc.uniqueArray(
  fc.record<File>({
    name: fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join('/')),
    size: fc.nat(3),
    modified: fc.nat(3),
    type: fc.constantFrom('text/plain', 'image/png', 'image/\u00e9'),
    isExpired: fc.boolean(),
  }),
  { selector: ({ name }) => name, maxLength: 40 },
);
const queries = fc.record({
  order: fc.constantFrom(undefined, ...orderNames),
  contains: fc.constantFrom('', '', 'b', 'a/', '/'),
  prefix: fc.constantFrom('', '', 'a', 'a/', '😀/'),
  within: fc.constantFrom('', '', 'a', 'a/b', 'é'),
  recursive: fc.boolean(),
  limit: fc.integer({ min: 1, max: 12 }),
});
type Query = typeof queries extends fc.Arbitrary<infer Value> ? Value : never;

describe('an ordered list', () => {
  let items: ItemStore;
  let spaces = 0;

  before(async () => {
    items = await openLevelStore({ memory: true });
  });
  after(() => items.close());

  async function spaceWith(all: readonly File[]): Promise<string> {
    const space = `drive/demo/${spaces++}`;
    const puts = all.map(({ name, size, modified, type, isExpired }) =>
      fileRow(name, {
        id: '0'.repeat(32),
        layout: 'row',
        sizeBytes: size,
        contentType: type,
        modifiedMs: modified,
        expiresAtSeconds: isExpired ? nowSeconds : undefined,
      } satisfies FileRow),
    );
    await items.transact(space, [], () => ({ puts, result: undefined }));
    return space;
  }

  const page = (space: string, query: Partial<OrderedListQuery>) => {
    const all = { prefix: '', within: '', last: '', recursive: true, order: undefined, contains: '' };
    return listOrdered(items, space, { ...all, limit: 1000, nowSeconds, ...query }, () => false);
  };

  /** The pages of a query, joined. */
  async function list(space: string, query: Query): Promise<string[]> {
    const names: string[] = [];
    let last: string | undefined = '';
    while (last !== undefined) {
      const found: Awaited<ReturnType<typeof page>> = await page(space, { ...query, last, details: true });
      assert.ok(found.names.length <= query.limit);
      assert.ok(!found.more || found.names.length > 0);
      const details = JSON.parse(`[${Buffer.concat(found.files ?? [])}]`) as { name: string }[];
      assert.deepEqual(
        details.map(({ name }) => name),
        found.names,
      );
      names.push(...found.names);
      last = found.more ? (found.last ?? found.names.at(-1)) : undefined;
    }
    return names;
  }

  /** The same, as simply as can be. */
  function model(
    all: readonly File[],
    { order = 'name', contains, prefix, within, recursive }: Query,
  ): string[] {
    const entries = new Map<string, File | undefined>();
    for (const file of all) {
      if (file.isExpired || !file.name.startsWith(prefix) || !file.name.startsWith(within)) continue;
      const slash = recursive ? -1 : file.name.indexOf('/', prefix.length);
      const name = slash === -1 ? file.name : file.name.slice(0, slash + 1);
      if (name.slice(prefix.length).includes(contains)) entries.set(name, slash === -1 ? file : undefined);
    }
    const sign = order.startsWith('-') ? -1 : 1;
    const by = order.replace('-', '') as 'name' | 'size' | 'modified' | 'content_type';
    const bytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
    const compare = ([a, x]: [string, File | undefined], [b, y]: [string, File | undefined]) => {
      if (by === 'name') return sign * bytes(a, b);
      if (x === undefined || y === undefined)
        return Number(x !== undefined) - Number(y !== undefined) || bytes(a, b);
      const difference = by === 'content_type' ? bytes(x.type, y.type) : x[by] - y[by];
      return sign * difference || bytes(a, b);
    };
    return Array.from(entries)
      .sort(compare)
      .map(([name]) => name);
  }

  test('gives the whole list page by page, whatever the files, the order and the limit', async () => {
    await fc.assert(
      fc.asyncProperty(files, queries, async (all, query) => {
        assert.deepEqual(await list(await spaceWith(all), query), model(all, query));
      }),
      { numRuns: propertyRuns(1500) },
    );
  });

  test('refuses a `last` that no page of the order has given', async () => {
    const wrong = [
      ['-size', 'f', 1],
      ['size', 'f', '1'],
      ['size', 1, 1],
      ['size', '\ud800', 1],
      ['size', 'f', 1, 1],
      [],
    ];
    for (const last of ['f', '!', ...wrong.map((parts) => opaqueText(parts))]) {
      await assert.rejects(page('', { order: 'size', last }), /last: must be the paging.last/);
    }
  });

  test('keeps no more than a megabyte of rows, and goes on behind them', async () => {
    const type = 't'.repeat(4000);
    const all = Array.from({ length: 700 }, (_, n): File => {
      const size = (n * 37) % 700;
      return { name: `f${size}`, size, modified: 0, type, isExpired: false };
    });
    const space = await spaceWith(all);
    const first = await page(space, { order: '-size', details: true });
    assert.ok(first.more && first.names.length < 300, `${first.names.length}`);
    const whole = {
      order: '-size',
      contains: '',
      prefix: '',
      within: '',
      recursive: true,
      limit: 1000,
    } as const;
    assert.deepEqual(await list(space, whole), model(all, whole));
  });

  test('by name, reads only the rows of the page; by size, reads all, and stops when its client leaves', async () => {
    const all = Array.from({ length: 5000 }, (_, n): File => {
      return { name: `f${n}`, size: n, modified: n, type: 'x/y', isExpired: false };
    });
    const space = await spaceWith(all);
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
    const read = async (order: OrderName, isAbandoned: () => boolean) => {
      rows = 0;
      const query = { prefix: '', within: '', last: '', recursive: true, contains: '', limit: 5, nowSeconds };
      await listOrdered(counting, space, { ...query, order }, isAbandoned);
    };
    await read('-name', () => false);
    assert.ok(rows < 2500, `${rows}`);
    await read('size', () => false);
    assert.equal(rows, 5000);
    await assert.rejects(
      read('size', () => rows > 1000),
      { problems: [{ code: 'abandoned', message: 'connection: closed before the answer' }] },
    );
    assert.ok(rows < 4000, `${rows}`);
  });
});
