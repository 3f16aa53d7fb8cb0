import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { estimateRows } from '../../../src/catalog/estimate.js';
import type { ItemStore } from '../../../src/engines/item-store.js';
import { openLevelStore } from '../../../src/engines/level/store.js';

const prefix = 'p/';
const first = `${prefix}`;

describe('the estimate of the number of rows', () => {
  let items: ItemStore;
  let spaces = 0;

  before(async () => {
    items = await openLevelStore({ memory: true });
  });
  after(() => items.close());

  /** Rows of the keys, with neighbours that do not count. */
  async function spaceWith(keys: readonly string[], textOf = (_: string) => 'v'): Promise<string> {
    const space = `base/demo/${spaces++}`;
    const puts = keys.map((key) => ({ key: prefix + key, value: Buffer.from(textOf(key)) }));
    for (let at = 0; at < puts.length; at += 5000) {
      await items.transact(space, [], () => ({ puts: puts.slice(at, at + 5000), result: null }));
    }
    const others = ['a', 'p', 'p.', 'p0', 'q/x'].map((key) => ({ key, value: Buffer.from('v') }));
    await items.transact(space, [], () => ({ puts: others, result: null }));
    return space;
  }

  /** The same numbers for the same seed. */
  function randomFrom(seed: number): () => number {
    let state = seed;
    return () => {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    };
  }

  async function estimate(space: string, attempts: number, seed = 1, after_ = first) {
    let reads = 0;
    const count = await estimateRows(
      { prefix, after: after_ },
      {
        read(range) {
          reads++;
          return items.scanText(space, range);
        },
        bytesOf: ({ text }) => (text === 'expired' ? undefined : text.length),
        random: randomFrom(seed),
        mayGoOn: () => --attempts > 0,
      },
    );
    return { ...count, reads };
  }

  test('a few rows are counted exactly', async () => {
    const space = await spaceWith(['a', 'b', 'c', 'd'], (key) => (key === 'c' ? 'expired' : key.repeat(3)));
    assert.deepEqual(await estimate(space, 1), { rows: 3, bytes: 9, reads: 1 });
    const { rows } = await estimate(space, 1, 1, 'p/b');
    assert.equal(rows, 1, 'only rows behind the key');
    assert.equal((await estimate(space, 1, 1, 'p/d')).rows, 0);
    assert.equal((await estimate('base/demo/never', 1)).rows, 0);
  });

  test('counters and random ids are estimated well by few reads', async () => {
    const total = 40_000;
    const random = randomFrom(7);
    const digits = 'abcdefghijklmnopqrstuvwxyz0123456789';
    const id = () => Array.from({ length: 12 }, () => digits[Math.floor(random() * 36)]).join('');
    const sets: Readonly<Record<string, (n: number) => string>> = {
      'padded counters': (n) => `item-${String(n).padStart(8, '0')}`,
      'plain counters': (n) => `${n}`,
      'random ids': id,
      'ids of users and of orders': (n) => (n % 10 === 0 ? `user/${id()}` : `order/${n}`),
    };
    for (const [name, keyOf] of Object.entries(sets)) {
      const space = await spaceWith(Array.from({ length: total }, (_, n) => keyOf(n)));
      const { rows, bytes, reads } = await estimate(space, 6);
      assert.ok(rows > 0.6 * total && rows < 1.6 * total, `${name}: ${rows} of ${total}`);
      assert.ok(Math.abs(rows - bytes) < 1e-6 * rows, 'a row counts one byte');
      assert.ok(reads < 8000, `${name}: ${reads} reads`);
    }
  });

  test('enough paths follow every branch: then it is exact, whatever the keys are', async () => {
    const characters = fc.constantFrom(
      'a',
      'b',
      '/',
      '\u0001',
      '\ud7ff',
      '\ue000',
      '\uffff',
      '😀',
      '\u{10ffff}',
    );
    const key = fc.string({ unit: characters, minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(key, { minLength: 40, maxLength: 250 }),
        fc.nat(300),
        async (keys, from) => {
          const space = await spaceWith(keys);
          const sorted = keys
            .map((one) => prefix + one)
            .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
          const after_ = sorted[from] ?? first;
          const left = sorted.filter(
            (one) => Buffer.compare(Buffer.from(one), Buffer.from(after_)) > 0,
          ).length;
          let mean = 0;
          const tries = 40;
          for (let seed = 0; seed < tries; seed++)
            mean += (await estimate(space, 5, seed, after_)).rows / tries;
          assert.ok(Math.abs(mean - left) <= 0.25 * left, `${mean} instead of ${left}`);
        },
      ),
      { numRuns: 25 },
    );
  });

  test('a fork of more branches than are followed, and a key that is a prefix of others', async () => {
    const wide = Array.from({ length: 3000 }, (_, n) => String.fromCodePoint(0x4e00 + n));
    const space = await spaceWith(wide);
    let mean = 0;
    for (let seed = 0; seed < 30; seed++) mean += (await estimate(space, 8, seed)).rows / 30;
    assert.ok(mean > 2000 && mean < 4000, `${mean}`);
    const nested = await spaceWith(Array.from({ length: 300 }, (_, n) => 'x'.repeat(n + 1)));
    const { rows } = await estimate(nested, 1);
    assert.equal(rows, 300, 'keys along one path are all counted');
  });
});
