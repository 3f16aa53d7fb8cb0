import type { ProjectGate } from '../access/project-gate.js';
import { Rate } from '../access/rate.js';
import type { Change, ItemStore } from '../engines/item-store.js';
import type { AccountTerms } from '../quotas/accounts.js';
import { limitsStored, type ProjectQuota, type Quota } from '../quotas/ledger.js';
import { projectDeleted, tooManyOfProject } from '../request-error.js';
import { projectsSpace } from '../spaces.js';
import { nextRevision, type ProjectRow, projectRow, readProjectRow, revisionKey } from './project-row.js';
import { readUsualQuota, type UsualQuota } from './usual-quota.js';

/**
 * What the operator has set for projects, in memory: every request asks. On rows that servers share, it is read again about
 * every second, if something has changed.
 */
export interface ProjectRegistry extends ProjectGate {
  of(project: string): ProjectRow | undefined;
  names(): readonly string[];
  /** Its own quota, or that of all projects that have none of their own. */
  wholeQuotaOf(project: string): ProjectQuota | undefined;
  /** What a project may store; undefined if that is not limited. */
  quotaOf(project: string): Quota | undefined;
  /** What the account of a project must be, on rows that servers share. */
  accountTermsOf(project: string): AccountTerms;
  /** Whether what any project stores is limited. */
  isAnyLimited(): boolean;
  /**
   * Changes the row of a project; `next` gives what it is from then on, undefined for no row. It may run more than once.
   * What `next` throws reaches the caller.
   */
  change(project: string, next: (row: ProjectRow | undefined) => ProjectRow | undefined): Promise<void>;
  /** How many requests were refused because their project had sent too many, since the start. */
  refusals(): number;
  /** Reads the rows again, if something has changed. */
  reload(): Promise<void>;
}

/** After so long, every server knows what another one has changed. */
export const knownEverywhereMs = 3000;

/**
 * `usual` is the quota of projects that have none of their own. Where servers share the rows, they say it instead
 * (`setUsualQuota`).
 */
export async function openProjectRegistry(
  items: Pick<ItemStore, 'isShared' | 'get' | 'scan' | 'transact'>,
  ownUsual: ProjectQuota = {},
): Promise<ProjectRegistry> {
  let usual: UsualQuota = { quota: ownUsual };
  /** Since when this server has known of the era of the usual quota. */
  let usualSinceMs = Number.NEGATIVE_INFINITY;
  let rows: ReadonlyMap<string, ProjectRow> = new Map();
  let deleted: ReadonlySet<string> = new Set();
  let quotas: ReadonlyMap<string, ProjectQuota> = new Map();
  let isAnyOwnLimited = false;
  let isAnyRate = false;
  /** Those of projects that have sent something. */
  const rates = new Map<string, Rate>();
  const wholeQuotaOf = (project: string) => quotas.get(project) ?? usual.quota;
  let revision = '';
  let refusals = 0;

  const revisionOf = async () => (await items.get(projectsSpace, revisionKey))?.toString() ?? '';

  async function load(): Promise<void> {
    // Read before the rows: what changes in the meantime is read again.
    const now = await revisionOf();
    const nextUsual = items.isShared ? await readUsualQuota(items) : usual;
    const found = new Map<string, ProjectRow>();
    for await (const batch of items.scan(projectsSpace, { gt: revisionKey }))
      for (const { key, value } of batch) found.set(key, readProjectRow(value) ?? {});
    if (nextUsual.era !== usual.era) usualSinceMs = performance.now();
    usual = nextUsual;
    rows = found;
    deleted = new Set([...found].filter(([, { isDeleted }]) => isDeleted).map(([name]) => name));
    quotas = new Map([...found].flatMap(([name, { quota }]) => (quota === undefined ? [] : [[name, quota]])));
    isAnyOwnLimited = [...quotas.values()].some(limitsStored);
    isAnyRate = [usual.quota, ...quotas.values()].some(
      ({ requestsPerSecond }) => requestsPerSecond !== undefined,
    );
    for (const [name, { requestsPerSecond }] of rates)
      if (wholeQuotaOf(name).requestsPerSecond !== requestsPerSecond) rates.delete(name);
    revision = now;
  }

  function rateOf(project: string): Rate | undefined {
    const { requestsPerSecond } = wholeQuotaOf(project);
    if (requestsPerSecond === undefined) return undefined;
    const known = rates.get(project) ?? new Rate(requestsPerSecond);
    rates.set(project, known);
    return known;
  }

  async function reload(): Promise<void> {
    if ((await revisionOf()) !== revision) await load();
  }

  await load();
  return {
    of: (project) => rows.get(project),
    names: () => [...rows.keys()],

    admit(project) {
      if (deleted.size > 0 && deleted.has(project)) throw projectDeleted();
    },

    count(project, startedMs) {
      if (!isAnyRate) return;
      const waitSeconds = rateOf(project)?.take(startedMs) ?? 0;
      if (waitSeconds <= 0) return;
      refusals++;
      throw tooManyOfProject(waitSeconds);
    },

    wholeQuotaOf(project) {
      const quota = wholeQuotaOf(project);
      return Object.keys(quota).length === 0 ? undefined : quota;
    },

    quotaOf(project) {
      const quota = wholeQuotaOf(project);
      return limitsStored(quota) ? quota : undefined;
    },

    accountTermsOf(project) {
      const isUsual = quotas.get(project) === undefined;
      return {
        era: isUsual ? usual.era : undefined,
        isKnownEverywhere: isUsual && performance.now() - usualSinceMs >= knownEverywhereMs,
      };
    },

    isAnyLimited: () => isAnyOwnLimited || limitsStored(usual.quota),

    async change(project, next) {
      await items.transact(projectsSpace, [revisionKey, project], ([stored, before]): Change<undefined> => {
        const after = next(readProjectRow(before));
        const puts = [nextRevision(stored), ...(after === undefined ? [] : [projectRow(project, after)])];
        const deletes = after === undefined && before !== undefined ? [project] : [];
        return { puts, deletes, makesRoom: after?.isDeleted ?? after === undefined, result: undefined };
      });
      await load();
    },

    refusals: () => refusals,
    reload,
  };
}
