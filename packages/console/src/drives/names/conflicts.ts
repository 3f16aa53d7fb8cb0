import { PageError } from '../../api/errors.js';
import { visible } from '../../ui/visible.js';
import { freeNames } from './taken-names.js';

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

/** Names that are taken, each with one like it that is free and that no other file is to get. */
export async function conflictsOf(
  drive: string,
  { taken, targets, signal }: TakenTargets,
): Promise<readonly Conflict[]> {
  const free = await freeNames(drive, taken, { targets, signal });
  return taken.map((to) => ({ to, free: free.get(to) ?? to }));
}
