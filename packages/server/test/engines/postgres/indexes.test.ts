import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startPostgres, type TestPostgres } from 'basedrive-acceptance/services/postgres.js';
import type { Item } from '../../../src/base/items/item.js';
import { createBaseService } from '../../../src/base/service.js';
import { RequestError } from '../../../src/request-error.js';
import { baseSpace } from '../../../src/spaces.js';
import { countedUnderRaces } from '../../support/counted-races.js';
import { freshDatabase, throughPort, withStoresAt } from '../../support/postgres-databases.js';
import { startRewriter } from '../../support/postgres-rewriter.js';
import { readPut } from '../../support/read-bodies.js';
import { sameAnswersWhileWritten, sameAnswersWithIndexes } from '../../support/same-answers.js';
import { forgetful, winnersOfRaces } from '../../support/unique-races.js';

let postgres: TestPostgres;

before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

describe('indexes of several servers over one database', () => {
  test('a query has the same answer with and without them', async () => {
    const { url } = await freshDatabase(postgres);
    await withStoresAt([url], async ([items]) => {
      assert.ok(items !== undefined);
      await sameAnswersWithIndexes(items, { seed: 1, rounds: 6, queries: 15 });
    });
  });

  test('at each moment while writers at two servers change everything and indexes come and go', async () => {
    const { url } = await freshDatabase(postgres);
    await withStoresAt([url, url], async (stores) => {
      const asked = await sameAnswersWhileWritten(stores, { seed: 2, moments: 10, queries: 5 });
      assert.ok(asked.withIndex > 5, JSON.stringify(asked));
    });
  });

  test('of many writers at two servers that give one value to different items, exactly one wins', async () => {
    const { url } = await freshDatabase(postgres);
    await withStoresAt([url, url], async (stores) => {
      assert.deepEqual(await winnersOfRaces(stores, 12), Array(12).fill(1));
    });
    const { url: other } = await freshDatabase(postgres);
    await withStoresAt([other, other], async (stores) => {
      const winners = await winnersOfRaces(stores.map(forgetful), 4);
      assert.ok(
        winners.some((won) => won > 1),
        `a service with a fault: ${winners}`,
      );
    });
  });

  test('counters are exact after writes at two servers, while the base begins and ceases to be counted', async () => {
    const { url } = await freshDatabase(postgres);
    await withStoresAt([url, url], async (stores) => {
      const { counted, there } = await countedUnderRaces(stores, { writes: 400, seed: 3 });
      assert.deepEqual(counted, there);
      assert.ok(
        counted.every(({ exact, rows = 0 }) => exact && rows > 0),
        JSON.stringify(counted),
      );
    });
  });

  test('over a database without LOCK TABLE, declaring one is refused, and nothing else is', async () => {
    const { url } = await freshDatabase(postgres);
    let asked = 0;
    const rewriter = await startRewriter(postgres.port, {
      rewriteSent(text) {
        if (text.includes('LOCK TABLE')) asked++;
        // The database answers it with a syntax error, as CockroachDB does.
        return text.replaceAll('LOCK TABLE', 'LOKC TABLE');
      },
    });
    try {
      await withStoresAt([throughPort(url, rewriter.port)], async ([items]) => {
        assert.ok(items !== undefined);
        const service = createBaseService(items, Date.now);
        const item = (key: string) => readPut(Buffer.from(JSON.stringify({ items: [{ key, age: 1 }] })));
        const declare = () => service.indexes.declare(baseSpace('p', 'b'), 'by-age', { fields: ['age'] });
        for (let round = 0; round < 3; round++) {
          // The operations of one tick are decided together.
          const [put, declared, inserted] = await Promise.allSettled([
            service.put('p', 'b', item(`put${round}`)),
            declare(),
            service.insert('p', 'b', item(`inserted${round}`)[0] as Item),
          ]);
          assert.equal(put.status, 'fulfilled');
          assert.ok(inserted.status === 'fulfilled' && inserted.value);
          assert.ok(declared.status === 'rejected' && declared.reason instanceof RequestError);
          assert.equal(declared.reason.status, 409);
          assert.match(declared.reason.message, /LOCK TABLE/);
          assert.ok((await service.get('p', 'b', `put${round}`)) !== undefined);
          assert.ok((await service.get('p', 'b', `inserted${round}`)) !== undefined);
        }
        assert.deepEqual(await service.indexes.list(baseSpace('p', 'b'), () => false), []);
        await service.indexes.drop(baseSpace('p', 'b'), 'by-age');
        await service.stop();
      });
      assert.equal(asked, 1, 'what the database does not have is asked for once');
    } finally {
      await rewriter.close();
    }
  });
});
