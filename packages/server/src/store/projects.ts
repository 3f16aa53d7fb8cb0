import type { ItemStore } from '../engines/item-store.js';
import { isDamage } from '../engines/storage-errors.js';
import { OperatorError } from '../operator-error.js';

/** The maximum number of spaces to read: a project may have any number of bases. */
const maxSpaces = 10_000;

const kinds = ['base', 'drive'] as const;

/** Projects that hold rows, in no particular order; of a very large store only some of them. */
export async function findProjects(items: ItemStore): Promise<readonly string[]> {
  const projects = new Set<string>();
  for (const kind of kinds) {
    const prefix = `${kind}/`;
    let spaces = 0;
    for await (const space of items.spaces(prefix)) {
      projects.add(space.slice(prefix.length, space.indexOf('/', prefix.length)));
      if (++spaces === maxSpaces) break;
    }
  }
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

/** Whether a project holds rows, be they damaged. */
export async function holdsProject(items: ItemStore, project: string): Promise<boolean> {
  try {
    for (const kind of kinds) {
      for await (const _ of items.spaces(`${kind}/${project}/`)) return true;
    }
    return false;
  } catch (cause) {
    if (!isDamage(cause)) throw cause;
    return true;
  }
}
