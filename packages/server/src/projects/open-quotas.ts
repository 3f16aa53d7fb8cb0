import { randomInt } from 'node:crypto';
import type { ItemStore } from '../engines/item-store.js';
import { type Accounts, createAccounts } from '../quotas/accounts.js';
import { OwnLedger } from '../quotas/ledger.js';
import { createLedgers, type Ledgers, noLedgers, type OpenLedger } from '../quotas/ledgers.js';
import { SharedLedger } from '../quotas/shared-ledger.js';
import { knownEverywhereMs, type ProjectRegistry } from './project-registry.js';
import { storedSums } from './stored-sums.js';

/** What counts what projects with a quota store: in memory, or in rows where servers share them. */
export interface Quotas {
  readonly ledgers: Ledgers;
  /** Undefined where the ledgers are in memory. */
  readonly accounts: Accounts | undefined;
}

export function openQuotas(
  items: ItemStore,
  registry: Pick<ProjectRegistry, 'isAnyLimited' | 'quotaOf' | 'accountTermsOf'>,
): Quotas {
  const { isAnyLimited: isAny, quotaOf, accountTermsOf: termsOf } = registry;
  const measure = (project: string) => storedSums(items, project);
  const quotaNow = (project: string) => () => quotaOf(project) ?? {};
  const own: OpenLedger = (project, { onRefused, onFailed }) => {
    const measured = measure(project);
    measured.catch(onFailed);
    return new OwnLedger(quotaNow(project), () => measured, onRefused);
  };
  if (!items.isShared) return { ledgers: createLedgers({ isAny, quotaOf, open: own }), accounts: undefined };
  // Such rows have no quotas.
  if (items.transactAcross === undefined) return { ledgers: noLedgers, accounts: undefined };
  const monotonicMs = () => performance.now();
  const accounts = createAccounts({ items, measure, termsOf, knownEverywhereMs, monotonicMs });
  const salt = randomInt(2 ** 31);
  const shared: OpenLedger = (project, { onRefused }) =>
    new SharedLedger({ items, project, accounts, quotaNow: quotaNow(project), onRefused, salt });
  return { ledgers: createLedgers({ isAny, quotaOf, open: shared }), accounts };
}
