import { setTimeout as wait } from 'node:timers/promises';
import type { BaseService } from '../base/service.js';
import type { CatalogService } from '../catalog/service.js';
import type { Store } from '../engines/store.js';
import type { NewKey } from '../keys/key-administration.js';
import { projectProblem } from '../keys/key-format.js';
import type { KeyRing } from '../keys/key-ring.js';
import { type Clock, nowSeconds } from '../lib/clock.js';
import type { Accounts } from '../quotas/accounts.js';
import { limitsStored, type ProjectQuota } from '../quotas/ledger.js';
import type { Ledgers } from '../quotas/ledgers.js';
import { badField, projectDeleted, refused } from '../request-error.js';
import { baseSpaces } from '../spaces.js';
import { createProjectDeletion } from './project-deletion.js';
import { isStored, projectsWithKeys, storedProjects } from './project-names.js';
import { knownEverywhereMs, type ProjectRegistry } from './project-registry.js';
import { type Usage, usageOf } from './usage.js';

/** What the operations of docs/http.md#projects work with. */
export interface ProjectServices {
  readonly projects: ProjectService;
}

export interface ProjectInfo {
  readonly name: string;
  /** Whole seconds since 1970 UTC; undefined for a project that came to be with its first key. */
  readonly createdSeconds?: number | undefined;
  readonly isDeleted: boolean;
}

export interface ProjectQuery {
  readonly prefix: string;
  readonly last: string;
  readonly limit: number;
}

/** What the operator does with projects. */
export interface ProjectService {
  /** The projects that have a key, store something or were created, in the order of their names. */
  list(query: ProjectQuery): Promise<{ readonly projects: readonly ProjectInfo[]; readonly more: boolean }>;
  /** Gives the first key of a new project. Throws a 409 `RequestError` if there is such a project. */
  create(name: string): Promise<NewKey>;
  /** From the answer on, nothing of the project is read or written. Throws a 404 `RequestError`. */
  delete(name: string): Promise<void>;
  /**
   * From the answer on, the project may store no more than this. Throws a 404 `RequestError`, and a 410 for a project that
   * is being deleted, and a 409 if servers may share the rows and the storage cannot count what they store together. Takes
   * some seconds where servers share the rows.
   */
  setQuota(name: string, quota: ProjectQuota): Promise<void>;
  /** The quota of a project; undefined if it has none. */
  quotaOf(name: string): ProjectQuota | undefined;
  /** Throws a 404 `RequestError`, and a 410 for a project that is being deleted. */
  usage(name: string, isAbandoned?: () => boolean): Promise<Usage>;
  /** The same of the project of a request, which may have nothing yet. */
  usageOfOwn(name: string, isAbandoned: () => boolean): Promise<Usage>;
  /** Goes on with a deletion: handles the due row of a project. */
  handleDue(space: string, project: string): Promise<false>;
  stop(): Promise<void>;
}

export interface ProjectServiceDependencies extends Store {
  readonly keys: Pick<KeyRing, 'list' | 'create' | 'revokeAll'>;
  readonly catalog: CatalogService;
  readonly bases: Pick<BaseService, 'setCounted'>;
  readonly ledgers: Ledgers;
  /** Undefined where servers do not share the rows. */
  readonly accounts?: Accounts | undefined;
  readonly registry: ProjectRegistry;
  readonly clock: Clock;
  readonly onError: (cause: unknown) => void;
}

export function createProjectService(dependencies: ProjectServiceDependencies): ProjectService {
  const { items, keys, registry, clock } = dependencies;
  const deletion = createProjectDeletion(dependencies);

  async function exists(name: string): Promise<boolean> {
    if (registry.of(name) !== undefined) return true;
    if ((await keys.list({ project: name, limit: 1 })).keys.length > 0) return true;
    return await isStored(items, name);
  }

  async function requireExisting(name: string): Promise<void> {
    if (projectProblem(name) === undefined && (await exists(name))) return;
    throw refused('project_not_found', 'Project not found');
  }

  return {
    async list({ prefix, last, limit }) {
      const names = new Set(registry.names());
      for await (const name of projectsWithKeys(keys, nowSeconds(clock))) names.add(name);
      for await (const name of storedProjects(items)) names.add(name);
      const asked = [...names].filter((name) => name.startsWith(prefix) && name > last).sort();
      const projects = asked.slice(0, limit).map((name): ProjectInfo => {
        const { createdSeconds, isDeleted = false } = registry.of(name) ?? {};
        return { name, createdSeconds, isDeleted };
      });
      return { projects, more: asked.length > limit };
    },

    async create(name) {
      const problem = projectProblem(name);
      if (problem !== undefined) throw badField('name', 'invalid_value', problem);
      // Another server, or a command, may have deleted it whole a moment ago.
      await registry.reload();
      if (registry.of(name)?.isDeleted) throw projectDeleted();
      const isTaken = await exists(name);
      const taken = () => refused('project_exists', 'The project exists');
      if (isTaken) throw taken();
      // Of two requests, one finds the row of the other.
      await registry.change(name, (row) => {
        if (row !== undefined) throw taken();
        return { createdSeconds: nowSeconds(clock) };
      });
      return await keys.create(name);
    },

    async delete(name) {
      await requireExisting(name);
      await registry.change(name, (row) => ({ ...row, isDeleted: true }));
      deletion.start(name);
    },

    async setQuota(name, quota) {
      await requireExisting(name);
      await registry.reload();
      registry.admit(name);
      await changeQuota(dependencies, name, quota);
    },

    quotaOf: (name) => registry.wholeQuotaOf(name),

    async usage(name, isAbandoned) {
      await requireExisting(name);
      registry.admit(name);
      return await usageOf(dependencies, name, isAbandoned);
    },

    usageOfOwn: (name, isAbandoned) => usageOf(dependencies, name, isAbandoned),

    async handleDue(_space, project) {
      await registry.reload();
      deletion.start(project);
      return false;
    },

    stop: deletion.stop,
  };
}

/** Resolves when all servers keep to it. */
async function changeQuota(
  dependencies: ProjectServiceDependencies,
  name: string,
  quota: ProjectQuota,
): Promise<void> {
  const { items, registry, accounts } = dependencies;
  const isLimited = limitsStored(quota);
  const isNew = isLimited && registry.quotaOf(name) === undefined;
  if (isLimited && items.isShared && items.transactAcross === undefined)
    throw refused(
      'quotas_unsupported',
      'The rows are on several shards, where what is stored cannot be limited: only requests_per_second can',
    );
  if (isLimited) await countBases(dependencies, name);
  if (isNew) await accounts?.announce(name);
  await storeQuota(registry, name, quota);
  if (accounts === undefined) return;
  await wait(knownEverywhereMs);
  // That of all projects may be the next one.
  if (registry.quotaOf(name) !== undefined) await accounts.open(name);
  else await accounts.remove(name);
}

/** A quota counts items, so the bases of the project are to be counted, too. */
async function countBases(
  { items, bases }: Pick<ProjectServiceDependencies, 'items' | 'bases'>,
  name: string,
): Promise<void> {
  for await (const space of items.spaces(`${baseSpaces}${name}/`))
    await bases.setCounted(name, space.slice(`${baseSpaces}${name}/`.length), true);
}

/** Throws the 410 `RequestError` of a project that is being deleted. A row that says nothing is not kept. */
async function storeQuota(registry: ProjectRegistry, name: string, quota: ProjectQuota): Promise<void> {
  const isNone = Object.values(quota).every((most) => most === undefined);
  await registry.change(name, ({ quota: _, ...row } = {}) => {
    if (row.isDeleted) throw projectDeleted();
    if (!isNone) return { ...row, quota };
    return Object.keys(row).length === 0 ? undefined : row;
  });
}
