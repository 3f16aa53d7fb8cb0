import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Base, Basedrive } from '../../src/in-node.js';
import { freshName, key, useService } from '../support/service.js';

interface Entry {
  n: number;
  text?: string;
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

describe('sets and bulk', { concurrency: true }, () => {
  const service = useService();
  const open = (): Base<Entry> => Basedrive(key, { url: service.url }).Base<Entry>(freshName());
  const numbered = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ key: `k${String(n).padStart(5, '0')}`, n }));

  test('any number of items is imported and exported', async () => {
    const base = open();
    const items = numbered(5000).map((item) => ({ ...item, text: 'é'.repeat(300) }));
    const progress: number[] = [];
    const onProgress = ({ stored }: { stored: number }) => progress.push(stored);
    assert.deepEqual(await base.importItems(items, { onProgress }), { stored: 5000, failed: [] });
    assert.ok(progress.length > 1 && progress.at(-1) === 5000, `${progress}`);
    assert.deepEqual(await all(base.exportItems()), items);
    assert.deepEqual(await all(base.exportItems({ prefix: 'k0001' })), items.slice(10, 20));
    for await (const item of base.exportItems()) {
      assert.deepEqual(item, items[0]);
      break;
    }
    assert.deepEqual(await base.importItems([]), { stored: 0, failed: [] });
  });

  test('items that are refused are given back with their errors', async () => {
    const base = open();
    const first: Entry & { key: string } = { key: 'first', n: 0 };
    const second: Entry = { n: 1 };
    const empty = { key: '', n: 1 };
    const { stored, failed } = await base.importItems([first, empty, second]);
    assert.equal(stored, 2);
    assert.deepEqual(
      failed.map(({ item, error }) => [item, error.code, error.codes]),
      [[empty, 'refused', [{ code: 'empty', path: 'item.key' }]]],
    );
    const again = await base.importItems([first, { n: 3 }], { insert: true });
    assert.equal(again.stored, 1);
    assert.deepEqual(
      again.failed.map(({ item, error }) => [item, error.code]),
      [[first, 'conflict']],
    );
    const stranger = Basedrive('demo_wrong', { url: service.url }).Base('b');
    await assert.rejects(stranger.importItems([first]), { code: 'unauthorized' });
    await assert.rejects(all(stranger.exportItems()), { code: 'unauthorized' });
    await assert.rejects(base.importItems([first], { signal: AbortSignal.abort() }), { code: 'aborted' });
  });

  test('every one of many small items that are refused is given back', async () => {
    const base = open();
    const items = numbered(50_000);
    assert.equal((await base.importItems(items)).stored, items.length);
    const { stored, failed } = await base.importItems(items, { insert: true });
    assert.equal(stored, 0);
    assert.deepEqual(
      failed.map(({ item }) => item),
      items,
    );
  });

  test('items that match are counted, updated and deleted', async () => {
    const base = open();
    await base.importItems(numbered(100));
    assert.equal(await base.count(), 100);
    assert.equal(await base.count({ 'n?lt': 30 }), 30);
    const { util } = base;
    assert.deepEqual(await base.updateWhere({ n: util.increment(1000) }, { 'n?lt': 30 }, { limit: 10 }), {
      updated: 10,
      failed: [],
      failedCount: 0,
    });
    const dryRun = await base.updateWhere({ text: 'x' }, [{ n: 50 }, { n: 51 }], { dryRun: true });
    assert.equal(dryRun.updated, 2);
    assert.equal(await base.deleteWhere({ 'n?gte': 1000 }, { dryRun: true }), 10);
    assert.equal(await base.deleteWhere({ 'n?gte': 1000 }), 10);
    await base.put({ n: 1, text: 'y' }, 'y');
    // @ts-expect-error there is no such attribute
    await base.updateWhere({ nothing: 1 }, { n: 99 });
    await assert.rejects(base.deleteWhere({}), { code: 'refused', message: /^all: / });
    // Without this condition, all items with `n` would be gone.
    const unknown = { 'n?gte': 0, text: undefined };
    const refused = { code: 'invalid', message: 'query: the operand of text is undefined' };
    await assert.rejects(base.deleteWhere(unknown), refused);
    await assert.rejects(base.deleteWhere([{ n: -1 }, unknown], { all: true }), refused);
    await assert.rejects(base.updateWhere({ text: 'x' }, unknown), refused);
    assert.equal(await base.deleteWhere({}, { all: true }), 91);
  });

  test('a text in place of the fields of an index is refused: its characters would be the fields', async () => {
    const message = 'Fields must be a list';
    await assert.rejects(open().declareIndex('by-n', 'n' as never), { code: 'invalid', message });
  });

  test('items that match are counted, summed and compared, by groups and pages', async () => {
    const base = open();
    await base.importItems(numbered(30));
    await base.put({ n: 0.5, text: 'y' }, 'half');
    const { n, total, most, skipped } = await base.aggregate(
      { n: { count: true }, total: { sum: 'n' }, most: { max: 'n' } },
      { 'n?lt': 10 },
    );
    assert.deepEqual([n, total, most, skipped], [11, 45.5, 9, undefined]);
    const options = { group: ['text'], order: ['-n'], limit: 1 } as const;
    const first = await base.aggregate({ n: { count: true } }, undefined, options);
    assert.equal(first.groups[0]?.n, 30);
    const second = await base.aggregate({ n: { count: true } }, {}, { ...options, last: first.last });
    assert.deepEqual(second, { groups: [{ group: { text: 'y' }, n: 1 }], last: undefined });
  });

  test('the first that match in an order are claimed', async () => {
    const base = open();
    await base.importItems(numbered(30));
    const options = { order: ['-n'], limit: 2, return: 'new' } as const;
    const taken = await base.updateWhere({ text: 'taken' }, { 'text?ne': 'taken' }, options);
    assert.deepEqual(
      taken.items.map(({ n, text }) => [n, text]),
      [
        [29, 'taken'],
        [28, 'taken'],
      ],
    );
    const popped = await base.deleteWhere({ 'n?lt': 2 }, { limit: 10, return: 'old' });
    assert.equal(popped.deleted, 2);
    assert.deepEqual(
      popped.items.map(({ n }) => n),
      [0, 1],
    );
    assert.equal(await base.deleteWhere({ 'n?gte': 0 }, { order: ['n'], limit: 5 }), 5);
  });
});
