import type { Deletions, ProjectGate } from '../access/project-gate.js';
import { RateLimiter } from '../access/rate-limiter.js';
import type { Change, ItemStore } from '../engines/item-store.js';
import type { AccountTerms } from '../quotas/accounts.js';
import { limitsStored, type ProjectQuota, type Quota } from '../quotas/ledger.js';
import { projectDeleted, tooManyOfProject } from '../request-error.js';
import { projectsSpace } from '../spaces.js';
import { type DefaultQuota, readDefaultQuota } from './default-quota.js';
import { nextRevision, type ProjectRow, projectRow, readProjectRow, revisionKey } from './project-row.js';

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

/** After this time, every server knows what another one has changed. */
export const knownEverywhereMs = 3000;

/** The rows of projects, and what follows from them. */
interface Projects {
  /** Changes with every change of them. */
  readonly revision: string;
  readonly defaults: DefaultQuota;
  readonly rows: ReadonlyMap<string, ProjectRow>;
  readonly deleted: ReadonlySet<string>;
  /** Their own ones. */
  readonly quotas: ReadonlyMap<string, ProjectQuota>;
  readonly isAnyOwnLimited: boolean;
  readonly isAnyRate: boolean;
}

type ProjectItems = Pick<ItemStore, 'isShared' | 'get' | 'scan' | 'transact'>;

async function readRevision(items: ProjectItems): Promise<string> {
  return (await items.get(projectsSpace, revisionKey))?.toString() ?? '';
}

async function readProjects(items: ProjectItems, ownDefault: DefaultQuota): Promise<Projects> {
  // Read before the rows: what changes in the meantime is read again.
  const revision = await readRevision(items);
  const defaults = items.isShared ? await readDefaultQuota(items) : ownDefault;
  const rows = new Map<string, ProjectRow>();
  for await (const batch of items.scan(projectsSpace, { gt: revisionKey }))
    for (const { key, value } of batch) rows.set(key, readProjectRow(value) ?? {});
  return projectsOf(revision, defaults, rows);
}

function projectsOf(
  revision: string,
  defaults: DefaultQuota,
  rows: ReadonlyMap<string, ProjectRow>,
): Projects {
  const quotas: Projects['quotas'] = new Map(
    [...rows].flatMap(([name, { quota }]) => (quota === undefined ? [] : [[name, quota]])),
  );
  return {
    revision,
    defaults,
    rows,
    deleted: new Set([...rows].filter(([, { isDeleted }]) => isDeleted).map(([name]) => name)),
    quotas,
    isAnyOwnLimited: [...quotas.values()].some(limitsStored),
    isAnyRate: [defaults.quota, ...quotas.values()].some(
      ({ requestsPerSecond }) => requestsPerSecond !== undefined,
    ),
  };
}

/**
 * `ownDefault` is the quota of projects that have none of their own. Where servers share the rows, the rows say it instead
 * (`setDefaultQuota`).
 */
export async function openProjectRegistry(
  items: ProjectItems,
  ownDefault: ProjectQuota = {},
): Promise<ProjectRegistry> {
  let known = projectsOf('', { quota: ownDefault }, new Map());
  /** Since when this server has known of the era of the default quota. */
  let defaultSinceMs = Number.NEGATIVE_INFINITY;
  /** Those of projects that have sent something. */
  const rates = new Map<string, RateLimiter>();
  const wholeQuotaOf = (project: string) => known.quotas.get(project) ?? known.defaults.quota;
  let refusals = 0;
  /** The last of them. */
  let deletions: Deletions = { next: undefined };

  function noteDeletions(next: Projects): void {
    for (const project of next.deleted) {
      if (known.deleted.has(project)) continue;
      const deleted = { project, next: undefined };
      deletions.next = deleted;
      deletions = deleted;
    }
  }

  async function load(): Promise<void> {
    const next = await readProjects(items, known.defaults);
    if (next.defaults.era !== known.defaults.era) defaultSinceMs = performance.now();
    noteDeletions(next);
    known = next;
    for (const [name, { requestsPerSecond }] of rates)
      if (wholeQuotaOf(name).requestsPerSecond !== requestsPerSecond) rates.delete(name);
  }

  function rateOf(project: string): RateLimiter | undefined {
    const { requestsPerSecond } = wholeQuotaOf(project);
    if (requestsPerSecond === undefined) return undefined;
    const rate = rates.get(project) ?? new RateLimiter(requestsPerSecond);
    rates.set(project, rate);
    return rate;
  }

  async function reload(): Promise<void> {
    if ((await readRevision(items)) !== known.revision) await load();
  }

  await load();
  return {
    of: (project) => known.rows.get(project),
    names: () => [...known.rows.keys()],

    admit(project) {
      if (known.deleted.size > 0 && known.deleted.has(project)) throw projectDeleted();
      return deletions;
    },

    count(project, startedMs) {
      if (!known.isAnyRate) return;
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
      const isDefault = known.quotas.get(project) === undefined;
      return {
        era: isDefault ? known.defaults.era : undefined,
        isKnownEverywhere: isDefault && performance.now() - defaultSinceMs >= knownEverywhereMs,
      };
    },

    isAnyLimited: () => known.isAnyOwnLimited || limitsStored(known.defaults.quota),

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
