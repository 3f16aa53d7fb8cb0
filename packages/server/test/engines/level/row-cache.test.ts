import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { RowCache } from '../../../src/engines/level/cache/row-cache.js';
import { encodeRow } from '../../../src/engines/level/rows/row-encoding.js';

describe('row cache', () => {
  test('never gives another value than the store has', () => {
    const key = fc.integer({ min: 0, max: 12 }).map(String);
    const step = fc.oneof(
      { weight: 20, arbitrary: fc.record({ kind: fc.constant('read' as const), key }) },
      {
        weight: 8,
        arbitrary: fc.record({
          kind: fc.constant('put' as const),
          key,
          size: fc.integer({ min: 0, max: 400 }),
        }),
      },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('delete' as const), key }) },
    );
    let hits = 0;
    fc.assert(
      fc.property(fc.array(step, { minLength: 50, maxLength: 300 }), (steps) => {
        const store = new Map<string, Buffer>();
        const cache = new RowCache(6000);
        for (const [n, { kind, key: id, ...rest }] of steps.entries()) {
          if (kind === 'put') {
            const value = Buffer.alloc('size' in rest ? rest.size : 0, String(n));
            store.set(id, value);
            if (cache.remove(id)) cache.addWritten(id, value);
          }
          if (kind === 'delete') {
            store.delete(id);
            if (cache.remove(id)) cache.forget(id);
          }
          assert.deepEqual(cache.peek(id) ?? store.get(id), store.get(id));
          const cached = cache.get(id);
          const stored = store.get(id);
          if (cached !== undefined) {
            hits++;
            assert.deepEqual(cached, stored);
          } else if (stored !== undefined) {
            cache.add(id, stored);
          }
        }
      }),
      { numRuns: 300 },
    );
    assert.ok(hits > 1000);
  });

  test('keeps rows that are read and drops others, within its limit', () => {
    const cache = new RowCache(100_000);
    const value = Buffer.alloc(750);
    cache.add('hot', value);
    for (let n = 0; n < 10_000; n++) {
      cache.add(`cold${n}`, value);
      assert.ok(cache.get('hot'));
    }
    const kept = Array.from({ length: 10_000 }, (_, n) => cache.get(`cold${n}`)).filter(Boolean).length;
    assert.ok(kept > 0 && kept <= 115, `${kept} rows of 874 bytes are kept`);
  });

  test('a row that is read once pushes out none of a full cache, and one that is read twice is kept', () => {
    const cache = new RowCache(100_000);
    const value = Buffer.alloc(750);
    for (let n = 0; n < 200; n++) cache.add(`first${n}`, value);
    const keysOf = (name: string) =>
      Array.from({ length: 200 }, (_, n) => `${name}${n}`).filter((key) => cache.peek(key));
    const first = keysOf('first');
    assert.ok(first.length > 50, `${first.length} rows fill the cache`);
    for (let n = 0; n < 200; n++) cache.add(`once${n}`, value);
    // Two of so many keys may have the same hash.
    assert.ok(keysOf('once').length <= 2, `${keysOf('once').length} rows that were read once are kept`);
    assert.ok(keysOf('first').length >= first.length - 20, 'the others stay');
    for (let n = 0; n < 30; n++) for (let read = 0; read < 2; read++) cache.add(`twice${n}`, value);
    assert.equal(keysOf('twice').length, 30);
  });

  test('gives whether a row that is removed was read since it was written', () => {
    const cache = new RowCache(100_000);
    assert.equal(cache.remove('a'), false);
    cache.add('a', Buffer.from('1'));
    assert.equal(cache.remove('a'), true);
    assert.equal(cache.get('a'), undefined);
    cache.addWritten('a', Buffer.from('2'));
    assert.equal(cache.remove('a'), false);
    cache.addWritten('a', Buffer.from('3'));
    assert.equal(cache.get('a')?.toString(), '3');
    assert.equal(cache.remove('a'), true);
  });

  test('a row that was removed is gone until it is added again, and takes no memory once it is forgotten', () => {
    const cache = new RowCache(100_000);
    cache.add('a', Buffer.from('1'));
    const { bytes } = cache.counts();
    for (const end of [() => cache.forget('b'), () => cache.addWritten('b', Buffer.alloc(90_000))]) {
      cache.add('b', Buffer.from('2'));
      assert.equal(cache.remove('b'), true);
      assert.equal(cache.get('b'), undefined);
      assert.equal(cache.peek('b'), undefined);
      assert.equal(cache.remove('b'), false);
      end();
      assert.equal(cache.counts().bytes, bytes);
    }
  });

  test('gives the value of a row, with a due time or without', () => {
    const cache = new RowCache(100_000);
    const rows = [
      { value: Buffer.from('of a row'), dueSeconds: undefined },
      { value: Buffer.from('of one that is due'), dueSeconds: 1_700_000_000 },
      { value: Buffer.alloc(0), dueSeconds: 1 },
    ];
    for (const [n, row] of rows.entries()) cache.add(`row${n}`, encodeRow(`row${n}`, { key: '', ...row }));
    for (const [n, { value }] of rows.entries()) assert.deepEqual(cache.getValue(`row${n}`), value);
    assert.equal(cache.counts().hits, rows.length);
    assert.equal(cache.getValue('none'), undefined);
    assert.equal(cache.counts().misses, 0);
  });

  test('a row whose value is read stays, too', () => {
    const cache = new RowCache(100_000);
    const row = encodeRow('hot', { key: '', value: Buffer.alloc(750), dueSeconds: undefined });
    cache.add('hot', row);
    for (let n = 0; n < 1000; n++) {
      cache.add(`cold${n}`, row);
      assert.ok(cache.getValue('hot'));
    }
  });

  test('a very large row does not push out all others', () => {
    const cache = new RowCache(100_000);
    cache.add('small', Buffer.alloc(10));
    cache.add('large', Buffer.alloc(90_000));
    assert.equal(cache.get('large'), undefined);
    assert.ok(cache.get('small'));
  });
});
