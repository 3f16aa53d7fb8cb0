import { PageError } from '../../api/errors.js';
import { visible } from '../../ui/visible.js';
import { numbered } from './numbered.js';
import { takenNames } from './taken-names.js';

/** What becomes of a file whose new name another file has. */
export type Choice =
  | { readonly kind: 'skip' | 'replace' }
  | { readonly kind: 'rename'; readonly name: string };

/** The choices of the user, by the names that are taken. */
export type Choices = ReadonlyMap<string, Choice>;

/** A file that is to get a name that another file has. */
export interface Conflict {
  /** The name that is taken. */
  readonly to: string;
  /** A name like it that no file has, nor is to get. */
  readonly free: string;
}

/** A name is taken that a file was to get. */
export class NameTaken extends PageError {
  constructor(name: string) {
    super(`There is a file ${visible(name)} already.`);
  }
}

interface TakenTargets {
  /** Those of the targets that are taken. */
  readonly taken: readonly string[];
  /** All names that files are to get. */
  readonly targets: ReadonlySet<string>;
  readonly signal: AbortSignal;
}

/**
 * Names that are taken, each with one like it that is free: `cat (2).png` in place of `cat.png`. The number is the first
 * with which no file has the name, or is to get it.
 */
export async function conflictsOf(
  drive: string,
  { taken, targets, signal }: TakenTargets,
): Promise<readonly Conflict[]> {
  const free = new Map<string, string>();
  const given = new Set(targets);
  let left = taken;
  for (let n = 2; left.length > 0; n++) {
    const candidates = left.map((name) => numbered(name, n));
    const inUse = await takenNames(drive, candidates, signal);
    for (const [at, name] of left.entries()) {
      const candidate = candidates[at] ?? name;
      if (inUse.has(candidate) || given.has(candidate)) continue;
      given.add(candidate);
      free.set(name, candidate);
    }
    left = left.filter((name) => !free.has(name));
  }
  return taken.map((to) => ({ to, free: free.get(to) ?? to }));
}
