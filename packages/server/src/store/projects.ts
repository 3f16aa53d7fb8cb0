import type { ItemStore } from '../engines/item-store.js';
import { isDamage } from '../engines/storage-errors.js';
import { OperatorError } from '../operator-error.js';
import { isStored, storedProjects } from '../projects/project-names.js';
import { readProjectRow } from '../projects/project-row.js';
import { projectsSpace } from '../spaces.js';

/** With more projects in the store, only some are found. */
const maxProjects = 10_000;

/** Projects that hold rows, in no particular order; of a very large store only some of them. */
export async function findProjects(items: ItemStore): Promise<readonly string[]> {
  const projects = new Set<string>();
  for await (const project of storedProjects(items)) if (projects.add(project).size === maxProjects) break;
  return [...projects];
}

/**
 * Like `findProjects`, for a command without `--project`. If the names are damaged, it throws an `OperatorError` that says to
 * name one.
 */
export async function projectsToChoose(items: ItemStore): Promise<readonly string[]> {
  try {
    return await findProjects(items);
  } catch (cause) {
    if (!isDamage(cause)) throw cause;
    const advice = 'the names of the projects cannot be read: say which one with --project';
    throw new OperatorError(`${(cause as Error).message}: ${advice}`, { cause });
  }
}

/** Whether a project was created here, or holds rows, be they damaged. */
export async function holdsProject(items: ItemStore, project: string): Promise<boolean> {
  try {
    if (await isStored(items, project)) return true;
    const row = readProjectRow(await items.get(projectsSpace, project));
    return row?.createdSeconds !== undefined && row.isDeleted !== true;
  } catch (cause) {
    if (!isDamage(cause)) throw cause;
    return true;
  }
}
