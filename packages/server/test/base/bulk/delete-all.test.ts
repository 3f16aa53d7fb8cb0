import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { createBaseService } from '../../../src/base/service.js';
import { headerKey, type ItemStore, type Row } from '../../../src/engines/item-store.js';
import { openLevelStore } from '../../../src/engines/level/store.js';
import { RequestError } from '../../../src/request-error.js';
import { baseSpace } from '../../../src/spaces.js';

const space = baseSpace('p', 'b');
const batchRows = 500;
const stays = () => false;

describe('deleting all items', () => {
  let items: ItemStore;
  /** The numbers of keys of the transactions. */
  let batches: number[];
  let bytesAtOnce: number;

  beforeEach(async () => {
    items = await openLevelStore({ memory: true });
    batches = [];
    bytesAtOnce = 0;
  });
  afterEach(() => items.close());

  const watched = (): ItemStore => ({
    ...items,
    transact(in_, keys, decide) {
      batches.push(keys.filter((key) => key !== headerKey).length);
      return items.transact(in_, keys, (rows) => {
        const bytes = rows.reduce((sum, row) => sum + (row?.length ?? 0), 0);
        bytesAtOnce = Math.max(bytesAtOnce, bytes);
        return decide(rows);
      });
    },
  });

  async function fill(count: number, valueBytes = 10): Promise<void> {
    const value = Buffer.from(JSON.stringify({ text: 'x'.repeat(valueBytes) }));
    for (let at = 0; at < count; at += 1000) {
      const puts = Array.from({ length: Math.min(1000, count - at) }, (_, n) => ({
        key: `k${at + n}`,
        value,
      }));
      await items.transact(space, [], () => ({ puts, result: null }));
    }
  }

  async function rows(): Promise<Row[]> {
    const found: Row[] = [];
    for await (const batch of items.scan(space)) found.push(...batch);
    return found;
  }

  test('a transaction has at most 500 rows, and of large ones few', async () => {
    const service = createBaseService(watched(), Date.now);
    await fill(1700);
    assert.equal(await service.removeAll('p', 'b', '', stays), 1700);
    assert.equal(Math.max(...batches), batchRows);
    await fill(40, 200_000);
    assert.equal(await service.removeAll('p', 'b', '', stays), 40);
    assert.ok(bytesAtOnce < 2 * 1024 * 1024, `${bytesAtOnce} bytes at once`);
    assert.deepEqual(await rows(), []);
  });

  test('it ends with the batch during which the client leaves, and goes on where it is asked again', async () => {
    const service = createBaseService(watched(), Date.now);
    await fill(1700);
    const leaves = () => batches.length === 2;
    await assert.rejects(service.removeAll('p', 'b', '', leaves), RequestError);
    assert.equal((await rows()).length, 1700 - 2 * batchRows);
    assert.equal(await service.removeAll('p', 'b', '', stays), 1700 - 2 * batchRows);
  });

  test('it ends although writers add items behind the last one for ever', async () => {
    const adding: ItemStore = {
      ...items,
      async transact(in_, keys, decide) {
        const result = await items.transact(in_, keys, decide);
        const key = `l${batches.push(keys.length)}`;
        await items.transact(in_, [], () => ({ puts: [{ key, value: Buffer.from('{}') }], result: null }));
        return result;
      },
    };
    await fill(1700);
    assert.equal(await createBaseService(adding, Date.now).removeAll('p', 'b', '', stays), 1700);
    assert.deepEqual(
      (await rows()).map(({ key }) => key),
      ['l1', 'l2', 'l3', 'l4'],
    );
  });

  test('batches of several clients take turns', async () => {
    const order: string[] = [];
    const ordered: ItemStore = {
      ...items,
      transact(in_, keys, decide) {
        order.push(in_);
        return items.transact(in_, keys, decide);
      },
    };
    await fill(3000);
    const key = 'only';
    const small = baseSpace('p', 'small');
    await items.transact(small, [], () => ({ puts: [{ key, value: Buffer.from('{}') }], result: null }));
    const service = createBaseService(ordered, Date.now);
    const deleted = await Promise.all([
      service.removeAll('p', 'b', '', stays),
      service.removeAll('p', 'small', '', stays),
    ]);
    assert.deepEqual(deleted, [3000, 1]);
    assert.ok(order.indexOf(small) < 3, `a small base waits for a batch, not for a large base: ${order}`);
  });

  test('the due marks of deleted items are gone, too', async () => {
    const value = Buffer.from('{"key":"k","__expires":5}');
    await items.transact(space, [], () => ({ puts: [{ key: 'k', value, dueSeconds: 5 }], result: null }));
    assert.equal(await createBaseService(items, Date.now).removeAll('p', 'b', '', stays), 0);
    assert.deepEqual(await items.due(10, 10), []);
  });
});
