import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { runHistory } from 'basedrive-acceptance/history/run.js';
import { createBaseService } from '../../../../src/base/service.js';
import type { TransactionOperation } from '../../../../src/base/transactions/transaction-operation.js';
import type { ItemStore } from '../../../../src/engines/item-store.js';
import { openLevelStore } from '../../../../src/engines/level/store.js';
import { serviceTransactor, type TransactionService } from '../../../support/service-transactor.js';

const writers = 64;

describe('the history of 64 writers', () => {
  let folder: string;
  let items: ItemStore;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'basedrive-history-'));
    items = await openLevelStore({ folder, create: true });
  });
  after(async () => {
    await items.close();
    await rm(folder, { recursive: true });
  });

  const serviceOf = (store: ItemStore) => createBaseService(store, Date.now);
  const history = (service: TransactionService, base: string, steps: number, paddingBytes = 0) =>
    runHistory({
      transactors: [serviceTransactor(service, base)],
      writers,
      isOver: (done) => done >= steps,
      paddingBytes,
    });

  test('has an order in which every transaction did all or nothing', async (context) => {
    const report = await history(serviceOf(items), 'right', 30);
    context.diagnostic(`${report.done} done, ${report.refused} refused, ${report.snapshots} snapshots`);
    assert.deepEqual(report.findings, []);
    assert.ok(report.done > 200 && report.refused > 50 && report.snapshots > 0, JSON.stringify(report));
  });

  test('has one if the items are large, too', async (context) => {
    const report = await history(serviceOf(items), 'large', 8, 50_000);
    context.diagnostic(`${report.done} done, ${report.refused} refused, ${report.snapshots} snapshots`);
    assert.deepEqual(report.findings, []);
    assert.ok(report.done > 50, JSON.stringify(report));
  });

  describe('has none if the service has a fault', () => {
    /** Every query of a check, an update and a delete matches. */
    const withoutConditions = ({ transact, ...others }: TransactionService): TransactionService => ({
      ...others,
      transact: (project, base, operations) => transact(project, base, operations.map(unconditional)),
    });

    /** The operations are done one by one. */
    const withoutAtomicity = ({ transact, ...others }: TransactionService): TransactionService => ({
      ...others,
      async transact(project, base, operations) {
        for (const operation of operations) {
          const outcome = await transact(project, base, [operation]);
          if (outcome.failure !== undefined) return outcome;
        }
        return { failure: undefined, items: new Map() };
      },
    });

    /** A decision is made over rows that others have changed since they were read. */
    const overOldRows = (store: ItemStore): ItemStore => ({
      ...store,
      async transact(space, keys, decide) {
        const rows = await store.transact(space, keys, (rows) => ({ result: rows }));
        return store.transact(space, [], () => decide(rows));
      },
    });

    const faults: readonly (readonly [string, () => TransactionService])[] = [
      ['conditions are skipped', () => withoutConditions(serviceOf(items))],
      ['operations are done one by one', () => withoutAtomicity(serviceOf(items))],
      ['what is decided over is old', () => serviceOf(overOldRows(items))],
    ];
    for (const [what, faulty] of faults) {
      test(what, async (context) => {
        const { findings } = await history(faulty(), what, 10);
        context.diagnostic(`${findings.length} findings, the first: ${findings[0]?.slice(0, 200)}`);
        assert.ok(findings.length > 0, 'the checker found nothing');
      });
    }
  });
});

function unconditional(operation: TransactionOperation): TransactionOperation {
  if (operation.kind === 'update') {
    return { ...operation, update: { ...operation.update, condition: undefined } };
  }
  if (operation.kind !== 'check' || operation.condition === undefined) return operation;
  // biome-ignore lint/correctness/useYield: it is over before a first pause.
  const matches = function* () {
    return true;
  };
  return { ...operation, condition: { conditions: 1, operandBytes: 0, matches } };
}
