import type { ItemStore } from '../engines/item-store.js';
import { randomId } from '../lib/random-id.js';
import { OperatorError } from '../operator-error.js';
import { limitsStored, type ProjectQuota } from '../quotas/ledger.js';
import { projectsSpace } from '../spaces.js';
import { nextRevision, revisionKey } from './project-row.js';

/**
 * The quota of projects that have none of their own (`--quota`), on rows that servers share: they must all use the same
 * one. Stored as JSON: never rename a member.
 */
export interface DefaultQuota {
  readonly quota: ProjectQuota;
  /**
   * It changes each time that the quota begins to limit what is stored, and is absent while it does not. An account of
   * another era has missed what was stored in between.
   */
  readonly era?: string | undefined;
}

/** No project has this name, and its row comes before that of the revision. */
const defaultKey = '!';
const noQuota: DefaultQuota = { quota: {} };

/** The default quota in the rows. */
export async function readDefaultQuota(items: Pick<ItemStore, 'get'>): Promise<DefaultQuota> {
  return parsed(await items.get(projectsSpace, defaultKey));
}

/**
 * Sets it for all servers: the one of the server that started last is valid. Gives whether it has changed. Throws
 * `OperatorError` if the storage cannot count what projects store.
 */
export async function setDefaultQuota(items: ItemStore, quota: ProjectQuota): Promise<boolean> {
  if (!items.isShared) return false;
  if (limitsStored(quota) && items.transactAcross === undefined) {
    throw new OperatorError(
      '--quota: the rows are on several shards, where what is stored cannot be limited: only requests_per_second can',
    );
  }
  // Most servers start with what is there, and write nothing.
  if (isSame((await readDefaultQuota(items)).quota, quota)) return false;
  return await items.transact(projectsSpace, [revisionKey, defaultKey], ([revision, row]) => {
    const before = parsed(row);
    if (isSame(before.quota, quota)) return { result: false };
    const era = limitsStored(quota) ? (before.era ?? randomId()) : undefined;
    const value = Buffer.from(JSON.stringify({ quota, era } satisfies DefaultQuota));
    return { puts: [nextRevision(revision), { key: defaultKey, value }], result: true };
  });
}

function parsed(row: Buffer | undefined): DefaultQuota {
  return row === undefined ? noQuota : (JSON.parse(row.toString()) as DefaultQuota);
}

function isSame(one: ProjectQuota, other: ProjectQuota): boolean {
  const text = (quota: ProjectQuota) => JSON.stringify(Object.entries(quota).sort());
  return text(one) === text(other);
}
