import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { runHistory } from 'basedrive-acceptance/history/run.js';
import { startPostgres, type TestPostgres } from 'basedrive-acceptance/services/postgres.js';
import { createBaseService } from '../../../src/base/service.js';
import { freshDatabase, withStoresAt } from '../../support/postgres-databases.js';
import { serviceTransactor } from '../../support/service-transactor.js';

let postgres: TestPostgres;

before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

describe('the history of 64 writers at two servers over one database', () => {
  test('has an order in which every transaction did all or nothing', async (context) => {
    const { url } = await freshDatabase(postgres);
    await withStoresAt([url, url], async (stores) => {
      const services = stores.map((store) => createBaseService(store, Date.now));
      const history = (base: string, steps: number, paddingBytes = 0) =>
        runHistory({
          transactors: services.map((service) => serviceTransactor(service, base)),
          writers: 64,
          isOver: (done) => done >= steps,
          paddingBytes,
        });
      const report = await history('b', 20);
      context.diagnostic(`${report.done} done, ${report.refused} refused, ${report.snapshots} snapshots`);
      assert.deepEqual(report.findings, []);
      assert.ok(report.done > 100 && report.refused > 50, JSON.stringify(report));
      const large = await history('large', 5, 50_000);
      context.diagnostic(`large items: ${large.done} done, ${large.refused} refused`);
      assert.deepEqual(large.findings, []);
    });
  });
});
