import type { ItemStore } from '../engines/item-store.js';
import { baseSpaces, driveSpaces } from '../spaces.js';

/** Comes after all spaces of a project, and before those of the next one. */
const behindSlash = '0';

/** The projects that hold rows of bases or drives. It seeks from one to the next, however many spaces each has. */
export async function* storedProjects(items: Pick<ItemStore, 'spaces'>): AsyncGenerator<string> {
  for (const prefix of [baseSpaces, driveSpaces]) {
    for (let after: string | undefined; ; ) {
      const space = await firstSpace(items, prefix, after);
      if (space === undefined) break;
      const project = space.slice(prefix.length, space.indexOf('/', prefix.length));
      yield project;
      after = `${prefix}${project}${behindSlash}`;
    }
  }
}

async function firstSpace(items: Pick<ItemStore, 'spaces'>, prefix: string, after: string | undefined) {
  for await (const space of items.spaces(prefix, { after })) return space;
  return undefined;
}
