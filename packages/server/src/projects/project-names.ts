import type { ItemStore } from '../engines/item-store.js';
import type { KeyPosition } from '../keys/key-administration.js';
import type { KeyRing } from '../keys/key-ring.js';
import { baseSpaces, driveSpaces } from '../spaces.js';

const keysPerPage = 1000;
const aYearSeconds = 365 * 24 * 3600;
/** Comes after all spaces of a project, and before those of the next one. */
const afterSlash = '0';

/** The projects that have keys. It seeks from one to the next, however many keys each has. */
export async function* projectsWithKeys(
  keys: Pick<KeyRing, 'list'>,
  nowSeconds: number,
): AsyncGenerator<string> {
  // No key was created after that.
  const createdSeconds = nowSeconds + aYearSeconds;
  for (let after: KeyPosition | undefined; ; ) {
    const page = await keys.list({ after, limit: keysPerPage });
    for (const { project } of page.keys) yield project;
    if (page.last === undefined) return;
    after = { project: page.last.project, createdSeconds, id: '' };
  }
}

/** The projects that hold rows of bases or drives. It seeks from one to the next, however many spaces each has. */
export async function* storedProjects(items: Pick<ItemStore, 'spaces'>): AsyncGenerator<string> {
  for (const prefix of [baseSpaces, driveSpaces]) {
    for (let after: string | undefined; ; ) {
      const space = await firstSpace(items, prefix, after);
      if (space === undefined) break;
      const project = space.slice(prefix.length, space.indexOf('/', prefix.length));
      yield project;
      after = `${prefix}${project}${afterSlash}`;
    }
  }
}

/** Whether a project holds rows of bases or drives. */
export async function isStored(items: Pick<ItemStore, 'spaces'>, project: string): Promise<boolean> {
  for (const prefix of [baseSpaces, driveSpaces])
    if ((await firstSpace(items, `${prefix}${project}/`)) !== undefined) return true;
  return false;
}

async function firstSpace(items: Pick<ItemStore, 'spaces'>, prefix: string, after?: string) {
  for await (const space of items.spaces(prefix, { after })) return space;
  return undefined;
}
