import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { changeTests } from './item-store/changes.js';
import { dueTests } from './item-store/due-rows.js';
import { headerTests } from './item-store/headers.js';
import { momentTests } from './item-store/moments.js';
import { type ItemStoreFixture, useOpenedStore } from './item-store/opened-store.js';
import { rowTests } from './item-store/rows.js';
import { scanTests } from './item-store/scans.js';
import { spaceTests } from './item-store/spaces.js';
import { transactionTests } from './item-store/transactions.js';

/** The contract of `src/engines/item-store.ts` as tests, the same for every engine. */
export function itemStoreSuite(name: string, open: () => Promise<ItemStoreFixture>): void {
  describe(`item store: ${name}`, () => {
    const opened = useOpenedStore(open);
    rowTests(opened);
    scanTests(opened);
    spaceTests(opened);
    transactionTests(opened);
    headerTests(opened);
    momentTests(opened);
    dueTests(opened);
    changeTests(opened);

    test('closing waits for calls in progress; what was answered is stored when the store is opened again, or gone if it was in memory', async () => {
      const writes = Array.from({ length: 100 }, (_, n) => opened.put(String(n), 'x', { dueSeconds: n }));
      await Promise.all([opened.reopen(), ...writes]);
      const expected = opened.isInMemory ? 0 : 100;
      assert.equal((await opened.keys()).length, expected);
      assert.equal((await opened.store.due(1000, 1000)).length, expected);
    });
  });
}
