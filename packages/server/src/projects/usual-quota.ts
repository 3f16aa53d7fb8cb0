import type { ItemStore } from '../engines/item-store.js';
import { randomId } from '../lib/random-id.js';
import { OperatorError } from '../operator-error.js';
import { limitsStored, type ProjectQuota } from '../quotas/ledger.js';
import { projectsSpace } from '../spaces.js';
import { nextRevision, revisionKey } from './project-row.js';

/**
 * The quota of projects that have none of their own (`--quota`), where servers share the rows: all of them must have the
 * same one. Stored as JSON: never rename a member.
 */
export interface UsualQuota {
  readonly quota: ProjectQuota;
  /**
   * Another one each time that it begins to limit what is stored; absent while it does not. An account of another era
   * missed what was stored in between.
   */
  readonly era?: string | undefined;
}

/** No project has this name, and its row comes before that of the revision. */
const usualKey = '!';
const noQuota: UsualQuota = { quota: {} };

/** What the rows say. */
export async function readUsualQuota(items: Pick<ItemStore, 'get'>): Promise<UsualQuota> {
  return parsed(await items.get(projectsSpace, usualKey));
}

/**
 * Sets it for all servers: that of the server that started last is valid. Gives whether it was another one. Throws
 * `OperatorError` if the storage cannot count what projects store.
 */
export async function setUsualQuota(items: ItemStore, quota: ProjectQuota): Promise<boolean> {
  if (!items.isShared) return false;
  if (limitsStored(quota) && items.transactAcross === undefined) {
    throw new OperatorError(
      '--quota: the rows are on several shards, where what is stored cannot be limited: only requests_per_second can',
    );
  }
  // Most servers start with what is there, and write nothing.
  if (isSame((await readUsualQuota(items)).quota, quota)) return false;
  return await items.transact(projectsSpace, [revisionKey, usualKey], ([revision, row]) => {
    const before = parsed(row);
    if (isSame(before.quota, quota)) return { result: false };
    const era = limitsStored(quota) ? (before.era ?? randomId()) : undefined;
    const value = Buffer.from(JSON.stringify({ quota, era } satisfies UsualQuota));
    return { puts: [nextRevision(revision), { key: usualKey, value }], result: true };
  });
}

function parsed(row: Buffer | undefined): UsualQuota {
  return row === undefined ? noQuota : (JSON.parse(row.toString()) as UsualQuota);
}

function isSame(one: ProjectQuota, other: ProjectQuota): boolean {
  const text = (quota: ProjectQuota) => JSON.stringify(Object.entries(quota).sort());
  return text(one) === text(other);
}
