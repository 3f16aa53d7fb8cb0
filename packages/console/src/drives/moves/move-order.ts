import type { Entry } from '../entry.js';
import { entryFinder } from '../entry-files.js';
import type { ChosenName } from '../names/chosen-names.js';

/** Says the new name of an entry; of a folder, with its `/`. */
export type NameOf = (entry: Entry) => string;

/** The new name of a file that moves with its entry. */
export function newName({ entry, name }: ChosenName, nameOf: NameOf): string {
  return nameOf(entry) + name.slice(entry.name.length);
}

/**
 * The files that move with the entries of a folder, each once, and each after the one whose name it gets: so they can
 * move in steps, while `namesBelow` lists what the steps before have left. If `a/b/` becomes `a/`, `a/b/x` comes before
 * `a/b/b/x`. No entry may move into itself.
 */
export async function* inMoveOrder(
  entries: readonly Entry[],
  nameOf: NameOf,
  namesBelow: (prefix: string) => AsyncIterable<string>,
): AsyncGenerator<ChosenName> {
  const [first, second] = entries;
  // Only a folder that moves up can get names of other entries: the one that is called as the folder around them. All
  // entries are in the same folder, so that one other stands for all of them.
  const isAround = (entry: Entry) => {
    const other = entry === first ? second : first;
    return entry.file === undefined && other?.name.startsWith(nameOf(entry)) === true;
  };
  for (const entry of [...entries.filter((one) => !isAround(one)), ...entries.filter(isAround)]) {
    if (entry.file !== undefined) yield { entry, name: entry.name };
    else yield* filesBelow(entry, nameOf(entry), namesBelow);
  }
}

async function* filesBelow(
  entry: Entry,
  to: string,
  namesBelow: (prefix: string) => AsyncIterable<string>,
): AsyncGenerator<ChosenName> {
  // What it loses of its path when it moves up. A file whose path has this once more gets a name below the folder.
  const lost = entry.name.startsWith(to) ? entry.name.slice(to.length) : '';
  let prefix = entry.name;
  for (let isMore = true; isMore; prefix += lost) {
    isMore = false;
    for await (const name of namesBelow(prefix)) {
      if (lost !== '' && name.startsWith(prefix + lost)) isMore = true;
      else yield { entry, name };
    }
  }
}

/**
 * The new names that stay taken when the entries move in that order. `taken` has those that files have before. A name
 * that another file of the entries gives up is free, unless the name that this one gets is taken.
 */
export function stillTaken(
  taken: ReadonlySet<string>,
  entries: readonly Entry[],
  nameOf: NameOf,
): readonly string[] {
  const entryOf = entryFinder(entries);
  const isTaken = (name: string): boolean => {
    if (!taken.has(name)) return false;
    const entry = entryOf(name);
    return entry === undefined || isTaken(newName({ entry, name }, nameOf));
  };
  return [...taken].filter(isTaken);
}
