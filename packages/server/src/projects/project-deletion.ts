import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import type { ItemStore } from '../engines/item-store.js';
import type { Store } from '../engines/store.js';
import type { KeyRing } from '../keys/key-ring.js';
import type { Ledgers } from '../quotas/ledgers.js';
import { projectsSpace } from '../spaces.js';
import type { ProjectRegistry } from './project-registry.js';
import { knownEverywhereMs } from './project-registry.js';
import { readProjectRow } from './project-row.js';
import { wipeProject } from './wipe-project.js';

export interface ProjectDeletionDependencies extends Store {
  readonly keys: Pick<KeyRing, 'revokeAll'>;
  readonly registry: ProjectRegistry;
  readonly ledgers: Ledgers;
  readonly onError: (cause: unknown) => void;
}

class Stopped extends Error {}

/** Another server, or a command, has deleted the project whole. Its name may be that of a new one already. */
class DoneElsewhere extends Error {}

/** Deletes projects whole (docs/http.md#delete-project). */
export function createProjectDeletion(dependencies: ProjectDeletionDependencies) {
  const { items, blobs, keys, registry, ledgers, onError } = dependencies;
  const running = new Map<string, Promise<void>>();
  const stopping = new AbortController();
  const { signal } = stopping;

  async function goOn(project: string): Promise<void> {
    // Requests that arrived in the meantime are answered first.
    await nextTurn();
    if (signal.aborted) throw new Stopped();
    // The bytes of rows that were read before this are of the project that is deleted.
    if (items.isShared) await registry.reload();
    if (registry.of(project)?.isDeleted !== true) throw new DoneElsewhere();
  }

  async function run(project: string): Promise<void> {
    if (registry.of(project)?.isDeleted !== true) return;
    await keys.revokeAll(project);
    // Until then, other servers may still write.
    if (items.isShared) await wait(knownEverywhereMs, undefined, { signal });
    const between = () => goOn(project);
    await between();
    // A request that was in progress may have written something after it was read.
    const store = { items: whileMarked(items, project), blobs };
    while (await wipeProject(store, project, between)) await between();
    ledgers.forget(project);
    await registry.change(project, (row) => (row?.isDeleted ? undefined : row));
  }

  return {
    /** Begins, or goes on with, the deletion of a project that is marked as deleted. Does not wait for it. */
    start(project: string): void {
      if (signal.aborted || running.has(project)) return;
      const begun = run(project)
        .catch((cause) => {
          if (!signal.aborted && !(cause instanceof DoneElsewhere)) onError(cause);
        })
        .finally(() => running.delete(project));
      running.set(project, begun);
    },
    /** Ends the work in progress. It goes on where it was, here or on another server. */
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all(running.values());
    },
  };
}

/** The same rows, of which nothing is changed once the project is no longer marked as deleted. */
function whileMarked(items: ItemStore, project: string): ItemStore {
  const { transactAcross } = items;
  if (transactAcross === undefined) return items;
  const mark = { space: projectsSpace, locked: [project], read: [] };
  return {
    ...items,
    transact: (space, keys, decide, options) =>
      transactAcross(space, keys, { ...mark, ...options }, (rows, [row]) => {
        if (readProjectRow(row)?.isDeleted !== true) throw new DoneElsewhere();
        return decide(rows);
      }),
  };
}
