import type { ProjectGate } from '../access/project-gate.js';
import type { Change, ItemStore } from '../engines/item-store.js';
import { projectDeleted } from '../request-error.js';
import { projectsSpace } from '../spaces.js';
import { type ProjectRow, projectRow, readProjectRow, revisionKey } from './project-row.js';

/**
 * What the operator has set for projects, in memory: every request asks. On rows that servers share, it is read again about
 * every second, if something has changed.
 */
export interface ProjectRegistry extends ProjectGate {
  of(project: string): ProjectRow | undefined;
  names(): readonly string[];
  /**
   * Changes the row of a project; `next` gives what it is from then on, undefined for no row. It may run more than once.
   * What `next` throws reaches the caller.
   */
  change(project: string, next: (row: ProjectRow | undefined) => ProjectRow | undefined): Promise<void>;
  /** Reads the rows again, if something has changed. */
  reload(): Promise<void>;
}

/** After so long, every server knows what another one has changed. */
export const knownEverywhereMs = 3000;

export async function openProjectRegistry(items: ItemStore): Promise<ProjectRegistry> {
  let rows: ReadonlyMap<string, ProjectRow> = new Map();
  let deleted: ReadonlySet<string> = new Set();
  let revision = '';

  const revisionOf = async () => (await items.get(projectsSpace, revisionKey))?.toString() ?? '';

  async function load(): Promise<void> {
    // Read before the rows: what changes in the meantime is read again.
    const now = await revisionOf();
    const found = new Map<string, ProjectRow>();
    for await (const batch of items.scan(projectsSpace, { gt: revisionKey }))
      for (const { key, value } of batch) found.set(key, readProjectRow(value) ?? {});
    rows = found;
    deleted = new Set([...found].filter(([, { isDeleted }]) => isDeleted).map(([name]) => name));
    revision = now;
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

    async change(project, next) {
      await items.transact(projectsSpace, [revisionKey, project], ([stored, before]): Change<undefined> => {
        const after = next(readProjectRow(before));
        const value = Buffer.from(String(Number(stored?.toString() ?? 0) + 1));
        const puts = [
          { key: revisionKey, value },
          ...(after === undefined ? [] : [projectRow(project, after)]),
        ];
        const deletes = after === undefined && before !== undefined ? [project] : [];
        return { puts, deletes, makesRoom: after?.isDeleted ?? after === undefined, result: undefined };
      });
      await load();
    },

    reload,
  };
}
