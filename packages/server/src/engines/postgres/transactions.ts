import { createReferenceCounted } from '../../lib/concurrency/reference-counted.js';
import { createFairSemaphores } from '../../lib/concurrency/semaphore.js';
import type { OnGroup } from '../engine.js';
import { type Change, headerKey, type ItemStore } from '../item-store.js';
import { createGroupCommit } from '../shared/group-commit.js';
import { ownerOf } from '../shared/space-owner.js';
import { HeadersUnsupported } from '../storage-errors.js';
import { createPostgresCommit, type DatabaseLimits, type RowOperation } from './commit.js';
import type { KeptChanges } from './log-rows.js';
import { lockedKey, secondSpaceKeys } from './second-space.js';
import type { StorePools } from './store-pools.js';

/**
 * `transact` and `transactAcross` of the item store: waiting writers of one space share the next transaction of the
 * database. What `decide` throws reaches the caller unchanged: the commit converts its own errors.
 */
export function createTransactions(
  { pool, track }: StorePools,
  changes: KeptChanges,
  onGroup: OnGroup | undefined,
): Required<Pick<ItemStore, 'transact' | 'transactAcross'>> {
  const limits: DatabaseLimits = { hasNoTableLock: false };
  // Others wait for the lock of the table, and for the connections that wait for it. So it is asked for once at a time.
  const headerChanges = createFairSemaphores(() => 1);
  const withGroupCommit = createReferenceCounted((space) => {
    const owner = ownerOf(space);
    const dependencies = { limits, changes, headerChanges: headerChanges(owner) };
    return createGroupCommit<RowOperation>(
      createPostgresCommit(pool.writesOf(owner), space, dependencies),
      onGroup,
    );
  });

  return {
    transact: (space, keys, decide, { maxReadBytes } = {}) =>
      track(() =>
        withGroupCommit(space, (groupCommit) =>
          groupCommit.submit(
            keys,
            (values) => {
              const change = decide(values);
              refuseHeader(limits, change);
              return { operations: operationsOf(keys, change), result: change.result };
            },
            maxReadBytes,
          ),
        ),
      ),

    transactAcross: (space, keys, second, decide) =>
      track(() =>
        withGroupCommit(space, (groupCommit) =>
          groupCommit.submit(
            [...keys, ...secondSpaceKeys(second)],
            (values) => {
              const change = decide(values.slice(0, keys.length), values.slice(keys.length));
              refuseHeader(limits, change);
              const own = operationsOf(keys, change).map((operation) => ({ ...operation, isAlone: false }));
              const secondPuts = (change.second ?? []).map(({ key, value }) => {
                return { type: 'put' as const, key: lockedKey(second.space, key), value, isAlone: false };
              });
              return { operations: [...own, ...secondPuts], result: change.result };
            },
            second.maxReadBytes,
          ),
        ),
      ),
  };
}

/** Throws `HeadersUnsupported` for a change of the header that the database cannot make. */
function refuseHeader(
  { hasNoTableLock }: DatabaseLimits,
  { puts = [], deletes = [] }: Change<unknown>,
): void {
  if (!hasNoTableLock) return;
  if (puts.some(({ key }) => key === headerKey) || deletes.includes(headerKey))
    throw new HeadersUnsupported('The database of the rows has no LOCK TABLE, which indexes need');
}

function operationsOf(keys: readonly string[], change: Change<unknown>): RowOperation[] {
  const { puts = [], deletes = [], onNoted } = change;
  const rows = keys.filter((key) => key !== headerKey).length + puts.length + deletes.length;
  const more = { isAlone: rows === 1, ...(onNoted && { onNoted }) };
  return [
    ...puts.map((put) => ({ type: 'put' as const, ...put, ...more })),
    ...deletes.map((key) => ({ type: 'del' as const, key, ...more })),
  ];
}
