import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startPostgres, type TestPostgres } from 'basedrive-acceptance/services/postgres.js';
import { createBaseService } from '../../../src/base/service.js';
import { freshDatabase, withStoresAt } from '../../support/postgres-databases.js';
import { runHistory } from '../../support/transaction-history.js';

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
      const report = await runHistory({ services, base: 'b', writers: 64, steps: 20 });
      context.diagnostic(`${report.done} done, ${report.refused} refused, ${report.snapshots} snapshots`);
      assert.deepEqual(report.findings, []);
      assert.ok(report.done > 100 && report.refused > 50, JSON.stringify(report));
      const large = await runHistory({
        services,
        base: 'large',
        writers: 64,
        steps: 5,
        paddingBytes: 50_000,
      });
      context.diagnostic(`large items: ${large.done} done, ${large.refused} refused`);
      assert.deepEqual(large.findings, []);
    });
  });
});
