import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAggregateBody } from '../../../src/base/aggregates/aggregate-body.js';
import { type BaseService, createBaseService } from '../../../src/base/service.js';
import type { ItemStore } from '../../../src/engines/item-store.js';
import { openLevelStore } from '../../../src/engines/level/store.js';
import { anyone } from '../../../src/http/memory/buffer-budget.js';
import { runAtOnce } from '../../../src/lib/concurrency/time-slices.js';
import { baseSpace } from '../../../src/spaces.js';
import { askCount, bodyWith } from '../../support/read-bodies.js';

const space = baseSpace('p', 'b');
/** More than two batches. */
const rows = 2000;
const keyOf = (n: number) => String(n).padStart(5, '0');

/** The same store, in which the last row is deleted as soon as the first rows of any scan were read. */
function deletingMeanwhile(items: ItemStore): ItemStore {
  async function* scanText(...args: Parameters<ItemStore['scanText']>) {
    for await (const batch of items.scanText(...args)) {
      await items.transact(space, [], () => ({ deletes: [keyOf(rows - 1)], result: undefined }));
      yield batch;
    }
  }
  return { ...items, rowsSync: undefined, scanText };
}

async function countItems({ byQuery }: BaseService): Promise<number> {
  return await byQuery.count(space, askCount('{"query":{"n?gte":0}}'), anyone);
}

async function countByAggregate({ aggregates }: BaseService): Promise<number> {
  const body = Buffer.from('{"aggregates":{"n":{"count":true}}}');
  const answer = await aggregates.compute(space, bodyWith(runAtOnce(readAggregateBody(body))), anyone, {
    items: 0,
    bytes: 0,
  });
  return JSON.parse(answer.toString()).n;
}

for (const ask of [countItems, countByAggregate]) {
  test(`one scan gives all items: ${ask.name}`, async () => {
    const level = await openLevelStore({ memory: true });
    const puts = Array.from({ length: rows }, (_, n) => {
      return { key: keyOf(n), value: Buffer.from(JSON.stringify({ key: keyOf(n), n })) };
    });
    await level.transact(space, [], () => ({ puts, result: undefined }));
    const oneByOne = createBaseService({ ...deletingMeanwhile(level), momentsAtOnce: 4 }, Date.now);
    try {
      assert.equal(await ask(createBaseService(deletingMeanwhile(level), Date.now)), rows);
      await level.transact(space, [], () => ({ puts, result: undefined }));
      // Where a scan holds a connection, each batch has a scan of its own.
      assert.equal(await ask(oneByOne), rows - 1);
    } finally {
      await level.close();
    }
  });
}
