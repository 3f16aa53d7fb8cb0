import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxDueSeconds, type ScanRange, type TextRow } from '../../../src/engines/item-store.js';
import { scanBatches } from '../../../src/engines/scan-batches.js';
import { type OpenedStore, space } from './opened-store.js';

/** What a scan reads: its bounds, its batches, its moment. */
export function scanTests(opened: OpenedStore): void {
  const { put, keys } = opened;

  test('a scan keeps to every bound, alone and together', async () => {
    for (const key of ['a', 'b', 'b/1', 'b/2', 'b0', 'c', 'd']) await put(key, key);
    assert.deepEqual(await keys({ gte: 'b' }), ['b', 'b/1', 'b/2', 'b0', 'c', 'd']);
    assert.deepEqual(await keys({ gt: 'b' }), ['b/1', 'b/2', 'b0', 'c', 'd']);
    assert.deepEqual(await keys({ lte: 'b/2' }), ['a', 'b', 'b/1', 'b/2']);
    assert.deepEqual(await keys({ lt: 'b/2' }), ['a', 'b', 'b/1']);
    assert.deepEqual(await keys({ gt: 'a', lt: 'c', reverse: true }), ['b0', 'b/2', 'b/1', 'b']);
    assert.deepEqual(await keys({ prefix: 'b/' }), ['b/1', 'b/2']);
    assert.deepEqual(await keys({ prefix: 'b', gt: 'b/1' }), ['b/2', 'b0']);
    assert.deepEqual(await keys({ prefix: 'b', gte: 'a', lt: 'b0' }), ['b', 'b/1', 'b/2']);
    assert.deepEqual(await keys({ prefix: 'b', reverse: true, lt: 'b/2' }), ['b/1', 'b']);
    assert.deepEqual(await keys({ gte: 'b', gt: 'b', lte: 'c', lt: 'c' }), ['b/1', 'b/2', 'b0']);
    assert.deepEqual(await keys({ gte: 'c', lte: 'b' }), []);
    assert.deepEqual(await keys({ prefix: 'x' }), []);
    assert.deepEqual(await keys({ limit: 2 }), ['a', 'b']);
    assert.deepEqual(await keys({ limit: 2, reverse: true }), ['d', 'c']);
    for (const firstBatch of [1, 3, 1000]) {
      assert.deepEqual(await keys({ prefix: 'b', firstBatch }), ['b', 'b/1', 'b/2', 'b0']);
    }
  });

  test('the bounds of a scan need not exist', async () => {
    for (const key of ['b', 'd']) await put(key, key);
    assert.deepEqual(await keys({ gt: 'a' }), ['b', 'd']);
    assert.deepEqual(await keys({ gt: 'c' }), ['d']);
    assert.deepEqual(await keys({ lt: 'c', reverse: true }), ['b']);
  });

  test('a prefix may end at the end of Unicode', async () => {
    for (const key of ['\ud7ff', '\ud7ffa', '\ue000', '\uffffz', '\u{10ffff}', '\u{10ffff}\u{10ffff}'])
      await put(key, '');
    assert.deepEqual(await keys({ prefix: '\ud7ff' }), ['\ud7ff', '\ud7ffa']);
    assert.deepEqual(await keys({ prefix: '\uffff' }), ['\uffffz']);
    assert.deepEqual(await keys({ prefix: '\u{10ffff}' }), ['\u{10ffff}', '\u{10ffff}\u{10ffff}']);
  });

  test('a scan comes in batches and reads more rows than one holds', async () => {
    const value = Buffer.alloc(1000, 'x');
    const puts = Array.from({ length: 2500 }, (_, n) => ({ key: String(n).padStart(6, '0'), value }));
    await opened.store.transact(space, [], () => ({ puts, result: null }));
    let batches = 0;
    let rows = 0;
    for await (const batch of opened.store.scan(space)) {
      assert.ok(batch.length > 0 && batch.length < 1000);
      batches++;
      rows += batch.length;
    }
    assert.equal(rows, 2500);
    assert.ok(batches > 5);
  });

  test('a scan of one batch gives the first one, and batch by batch all rows come', async () => {
    const value = Buffer.alloc(1000, 'x');
    const puts = Array.from({ length: 2500 }, (_, n) => ({ key: String(n).padStart(6, '0'), value }));
    await opened.store.transact(space, [], () => ({ puts, result: null }));
    const batches: string[][] = [];
    for await (const rows of opened.store.scan(space, { gte: '000003', isOneBatch: true }))
      batches.push(rows.map(({ key }) => key));
    const [only = []] = batches;
    assert.equal(batches.length, 1);
    assert.deepEqual([only[0], only.at(-1)], ['000003', String(2 + only.length).padStart(6, '0')]);
    for await (const rows of opened.store.scanText(space, { reverse: true, limit: 1, isOneBatch: true }))
      assert.deepEqual([rows.length, rows[0]?.key], [1, '002499']);
    for await (const _ of opened.store.scan(space, { prefix: 'x', isOneBatch: true })) assert.fail('a batch');
    const keys: string[] = [];
    for await (const rows of scanBatches(opened.store, space, { gte: '000003', lt: '002000' }))
      keys.push(...rows.map(({ key }) => key));
    assert.deepEqual(
      keys,
      puts.slice(3, 2000).map(({ key }) => key),
    );
  });

  test('a scan that is left early releases what it holds', async () => {
    for (const key of ['a', 'b', 'c']) await put(key, key);
    for await (const batch of opened.store.scan(space, { limit: 2 })) {
      assert.equal(batch.length, 2);
      break;
    }
    await put('d', 'd');
    assert.deepEqual(await keys(), ['a', 'b', 'c', 'd']);
  });

  test('a scan sees one moment, whatever is written meanwhile', async () => {
    const value = Buffer.alloc(1000, 'x');
    const puts = Array.from({ length: 500 }, (_, n) => ({ key: String(n).padStart(6, '0'), value }));
    await opened.store.transact(space, [], () => ({ puts, result: null }));
    const seen: string[] = [];
    let first = true;
    for await (const batch of opened.store.scan(space)) {
      if (first) {
        await opened.store.transact(space, [], () => ({
          puts: [{ key: '000499a', value }],
          deletes: ['000499', '000000'],
          result: null,
        }));
      }
      first = false;
      seen.push(...batch.map((row) => row.key));
    }
    assert.deepEqual(
      seen,
      puts.map((row) => row.key),
    );
  });

  test('rows that are text are scanned as text', async () => {
    const texts: Record<string, string> = {
      a: '{"x":"\u00e9\ud83d\ude00"}',
      b: '',
      c: 'c\0\u0001',
      d: 'due',
    };
    for (const [key, text] of Object.entries(texts)) {
      await put(key, text, key === 'd' ? { dueSeconds: maxDueSeconds } : {});
    }
    const read = async (range?: ScanRange) => {
      const rows: TextRow[] = [];
      for await (const batch of opened.store.scanText(space, range)) rows.push(...batch);
      for (const { text, bytes } of rows) assert.equal(bytes, Buffer.byteLength(text));
      return rows.map(({ key, text }) => [key, text]);
    };
    assert.deepEqual(await read(), Object.entries(texts));
    assert.deepEqual(await read({ gt: 'a', lt: 'd', reverse: true, limit: 1 }), [['c', texts.c]]);
  });
}
