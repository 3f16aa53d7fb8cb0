import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startPostgres, type TestPostgres } from 'basedrive-acceptance/services/postgres.js';
import { freshDatabase, withStoresAt } from '../../support/postgres-databases.js';

let postgres: TestPostgres;
before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

const numberOf = (row: Buffer | undefined) => Number(row?.toString() ?? 0);
const row = (key: string, number: number) => ({ key, value: Buffer.from(String(number)) });

test('a row of a second space counts what transactions of many spaces and servers do, and nothing that was refused', async () => {
  const { url } = await freshDatabase(postgres);
  await withStoresAt([url, url], async (stores) => {
    const [first] = stores;
    await first?.transact('sums', [], () => ({ puts: [row('a', 0), row('b', 5)], result: undefined }));
    const outcomes = await Promise.allSettled(
      Array.from({ length: 120 }, (_, at) => {
        const store = stores[at % 2];
        const space = `s${at % 5}`;
        const second = { space: 'sums', locked: ['a'], read: ['a', 'b', 'none'] };
        return store!.transactAcross!(space, [`k${at % 7}`], second, ([own], [sum, committed, b, none]) => {
          if (at % 10 === 0) throw new Error('refused');
          assert.equal(numberOf(b), 5);
          assert.equal(none, undefined);
          // What the same group has added is in what is locked, and not yet in what is read.
          assert.ok(numberOf(committed) <= numberOf(sum));
          return {
            puts: [row(`k${at % 7}`, numberOf(own) + 1)],
            second: [row('a', numberOf(sum) + 1)],
            result: undefined,
          };
        });
      }),
    );
    const done = outcomes.filter(({ status }) => status === 'fulfilled').length;
    assert.equal(done, 108);
    assert.equal(numberOf(await stores[1]?.get('sums', 'a')), done);
    let counted = 0;
    for (let space = 0; space < 5; space++)
      for await (const rows of stores[0]!.scan(`s${space}`))
        for (const { value } of rows) counted += numberOf(value);
    assert.equal(counted, done);
  });
});
