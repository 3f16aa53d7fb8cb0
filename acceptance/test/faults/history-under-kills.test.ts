import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Transactor } from '../../src/history/transactor.js';
import { embeddedDeployment } from '../../src/kills/deployments.js';
import { runHistoryUnderKills } from '../../src/kills/run-history.js';

const key = 'kills_0123456789';

/** On the embedded engines; test/postgres has the same for servers over PostgreSQL. */
describe('the history of 64 writers of transactions, while the server is killed', () => {
  const history = async (kills: number, plant?: (transactor: Transactor) => Transactor) => {
    const folder = await mkdtemp(join(tmpdir(), 'basedrive-history-'));
    const deployment = embeddedDeployment(join(folder, 'data'), key);
    const report = await runHistoryUnderKills({
      deployment,
      key,
      servers: 1,
      kills,
      seed: 4,
      ...(plant && { plant }),
    });
    await rm(folder, { recursive: true });
    return report;
  };

  test('has an order in which every transaction did all or nothing', async (context) => {
    const report = await history(4);
    context.diagnostic(`${report.done} done, ${report.refused} refused, ${report.inDoubt} in doubt`);
    assert.deepEqual(report.findings, []);
    assert.ok(report.done > 50 && report.refused > 10 && report.inDoubt > 10, JSON.stringify(report));
  });

  const faults: readonly (readonly [string, (right: Transactor) => Transactor])[] = [
    [
      'operations are done one by one',
      (right) => ({
        ...right,
        async transact(operations) {
          for (const operation of operations) {
            const status = await right.transact([operation]);
            if (status !== 200) return status;
          }
          return 200;
        },
      }),
    ],
    [
      'a transaction is repeated because its answer was lost',
      (right) => {
        let transactions = 0;
        return {
          ...right,
          async transact(operations) {
            if (++transactions % 3 === 0) await right.transact(operations);
            return right.transact(operations);
          },
        };
      },
    ],
    [
      'one of ten transactions is acknowledged but not done',
      (right) => {
        let transactions = 0;
        return {
          ...right,
          transact: async (operations) => (++transactions % 10 === 0 ? 200 : right.transact(operations)),
        };
      },
    ],
  ];
  for (const [what, plant] of faults) {
    test(`has none if ${what}`, async (context) => {
      // On a busy machine a history has few transactions: then a longer one shows the fault.
      let findings: readonly string[] = [];
      for (let kills = 1; kills <= 3 && findings.length === 0; kills++)
        ({ findings } = await history(kills, plant));
      context.diagnostic(`${findings.length} findings, the first: ${findings[0]?.slice(0, 200)}`);
      assert.ok(findings.length > 0, 'the checker found nothing');
    });
  }
});
