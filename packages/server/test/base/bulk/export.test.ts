import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { exportItems } from '../../../src/base/bulk/export.js';
import type { ItemStore, TextRow } from '../../../src/engines/item-store.js';
import { openLevelStore } from '../../../src/engines/level/store.js';
import { baseSpace } from '../../../src/spaces.js';

const space = baseSpace('p', 'b');
const count = 2_500;
/** More than LevelDB gives at a time. */
const textOf = (n: number) => JSON.stringify({ key: `k${n + 10_000}`, text: n % 3 === 0 ? 'ä€😀' : 'x' });

describe('exporting items', () => {
  let items: ItemStore;

  beforeEach(async () => {
    items = await openLevelStore({ memory: true });
    const rows = Array.from({ length: count }, (_, n) => textOf(n));
    for (let at = 0; at < count; at += 500) {
      const puts = rows
        .slice(at, at + 500)
        .map((text, n) => ({ key: `k${at + n + 10_000}`, value: Buffer.from(text) }));
      await items.transact(space, [], () => ({ puts, result: undefined }));
    }
  });
  afterEach(() => items.close());

  const exported = (from: ItemStore, range = {}) =>
    exportItems({ items: from, space, range }, (read) => read(), Date.now);

  /** A store that notes its scans in upward direction, and lets each batch pass `give`. */
  function watched(give: (scan: number, rows: readonly TextRow[]) => Promise<readonly TextRow[]>) {
    const scans = { begun: 0, ended: 0 };
    const store: ItemStore = {
      ...items,
      async *scanText(of, range) {
        const number = range?.reverse ? 0 : ++scans.begun;
        try {
          for await (const rows of items.scanText(of, range))
            yield number === 0 ? rows : await give(number, rows);
        } finally {
          if (number > 0) scans.ended++;
        }
      },
    };
    return { store, scans };
  }

  test('gives each item once, in the order of the keys, in any range', async () => {
    for (const range of [
      {},
      { prefix: 'k11' },
      { gt: 'k11023' },
      { gte: 'k10512', lt: 'k11700' },
      { gt: 'z' },
    ]) {
      let expected = '';
      for await (const rows of items.scanText(space, range))
        for (const { text } of rows) expected += `${text}\n`;
      const pieces: Buffer[] = [];
      for await (const piece of exported(items, range)) pieces.push(piece);
      assert.equal(Buffer.concat(pieces).toString(), expected);
    }
  });

  test('one batch is read ahead, and no more while the client is slow', async () => {
    const { store, scans } = watched(async (_, rows) => rows);
    const lines = exported(store);
    for (let given = 1; given <= 3; given++) {
      await lines.next();
      for (let turn = 0; turn < 50; turn++) await nextTurn();
      assert.equal(scans.begun, given + 1);
    }
    await lines.return();
    assert.equal(scans.ended, scans.begun);
  });

  test('a failure of the batch ahead comes after the batch before it', async () => {
    const { store } = watched(async (scan, rows) => {
      if (scan === 2) throw new Error('second');
      return rows;
    });
    const lines = exported(store);
    const first = await lines.next();
    for (let turn = 0; turn < 50; turn++) await nextTurn();
    assert.match(String(first.value), /^\{"key":"k10000"/);
    await assert.rejects(lines.next(), /second/);
  });

  test('a client that leaves waits for no failure, but for the reading', async () => {
    let release: () => void = () => {};
    const isReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { store, scans } = watched(async (scan, rows) => {
      if (scan === 1) return rows;
      await isReleased;
      throw new Error('second');
    });
    const lines = exported(store);
    await lines.next();
    const left = lines.return();
    release();
    await left;
    assert.deepEqual(scans, { begun: 2, ended: 2 });
  });
});
