import type { ItemStore } from '../engines/item-store.js';

/** The maximum number of spaces to read: a project may have any number of bases. */
const maxSpaces = 10_000;

/** Projects that hold rows, in no particular order; of a very large store only some of them. */
export async function findProjects(items: ItemStore): Promise<readonly string[]> {
  const projects = new Set<string>();
  for (const prefix of ['base/', 'drive/']) {
    let spaces = 0;
    for await (const space of items.spaces(prefix)) {
      projects.add(space.slice(prefix.length, space.indexOf('/', prefix.length)));
      if (++spaces === maxSpaces) break;
    }
  }
  return [...projects];
}
