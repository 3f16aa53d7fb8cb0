import type { ItemStore, Row } from '../../engines/item-store.js';
import { readDefaultQuota } from '../../projects/default-quota.js';
import { readProjectRow } from '../../projects/project-row.js';
import { storedSums } from '../../projects/stored-sums.js';
import { isOpenIn } from '../../quotas/account-rows.js';
import { readAccountRows } from '../../quotas/accounts.js';
import { kinds, limitsStored, quotaNames } from '../../quotas/ledger.js';
import { accountSpaceOf, projectsSpace } from '../../spaces.js';

const maxAttempts = 5;

/**
 * Compares what the account of a project with a quota says with what the project stores. Gives what is wrong. With
 * `isRepaired`, an account that is wrong is deleted instead, and the next write measures the project anew.
 */
export async function checkAccount(
  items: ItemStore,
  space: string,
  isRepaired: boolean,
): Promise<{ readonly problem?: string; readonly repaired: number }> {
  const project = space.slice(accountSpaceOf('').length);
  const own = readProjectRow(await items.get(projectsSpace, project))?.quota;
  const { quota, era } = own === undefined ? await readDefaultQuota(items) : { quota: own };
  // Without a quota nobody keeps it, and the next quota begins with a new one.
  if (!limitsStored(quota)) return { repaired: 0 };
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const before = await readAccountRows(items, project);
    if (!isOpenIn(era, before.head)) return { repaired: 0 };
    const stored = await storedSums(items, project);
    const after = await readAccountRows(items, project);
    if (textOf(before.rows) !== textOf(after.rows)) continue;
    const wrong = kinds.filter((kind) => before.stored[kind] !== stored[kind]);
    if (wrong.length === 0) return { repaired: 0 };
    if (!isRepaired) {
      const parts = wrong.map(
        (kind) => `${before.stored[kind]} ${quotaNames[kind]}, and there are ${stored[kind]}`,
      );
      return { problem: `the account of its quota says ${parts.join('; ')}`, repaired: 0 };
    }
    const deletes = before.rows.map(({ key }) => key);
    await items.transact(space, deletes, () => ({ deletes, result: undefined }));
    return { repaired: 1 };
  }
  // It is written to all the time. Its transactions are what keeps it in step.
  return { repaired: 0 };
}

/** All that an account says, to see whether it has changed. */
function textOf(rows: readonly Row[]): string {
  return rows.map(({ key, value }) => `${key} ${value.toString()}\n`).join('');
}
