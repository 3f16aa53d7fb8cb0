/**
 * What happens to an index. Its entries are complete once it is ready. One that failed has no rows: items that were there
 * already have equal values.
 */
export type IndexState = 'building' | 'ready' | 'failed' | 'dropping';

/** What an index is for, besides its fields. Stored: never rename a member. */
export interface IndexKind {
  /** No two items have equal values of all fields. */
  readonly unique?: true | undefined;
  /** Its field is a list, and each different element has an entry. */
  readonly each?: true | undefined;
}

/** An index as the header of its base declares it. */
export interface Declaration extends IndexKind {
  /** Begins the keys of its entries. Never used again in this base while entries with it are left. */
  readonly id: string;
  readonly name: string;
  /** Attribute paths. */
  readonly fields: readonly string[];
  readonly state: IndexState;
  /** Of one that failed: the first keys of items with equal values. */
  readonly collisions?: readonly string[] | undefined;
}

/** The header of a base: the declarations of its indexes. Stored as JSON: never rename a member. */
export interface Declarations {
  /** Whether its items are counted, whatever indexes there are. */
  readonly counted?: true | undefined;
  /** The number of the next id. */
  readonly next: number;
  readonly indexes: readonly Declaration[];
}

const none: Declarations = { next: 1, indexes: [] };

export function readDeclarations(header: Buffer | string | undefined): Declarations {
  return header === undefined ? none : (JSON.parse(header.toString()) as Declarations);
}

export function writeDeclarations(declarations: Declarations): Buffer {
  return Buffer.from(JSON.stringify(declarations));
}

/** The state of the index of this id now; undefined if there is none. */
export function stateIn({ indexes }: Declarations, { id }: Declaration): IndexState | undefined {
  return indexes.find((one) => one.id === id)?.state;
}

/** Whether some index must still be built or dropped. */
export function hasWork({ indexes }: Declarations): boolean {
  return indexes.some(isUnfinished);
}

export function isUnfinished({ state }: Declaration): boolean {
  return state === 'building' || state === 'dropping';
}

/** Whether the items of the base are counted: writes read what they replace, and that is what counting costs. */
export function isCounted({ counted, indexes }: Declarations): boolean {
  return counted === true || indexes.some(({ state }) => state === 'ready' || state === 'building');
}

/** The indexes that users know of. */
export function declared({ indexes }: Declarations): readonly Declaration[] {
  return indexes.filter(({ state }) => state !== 'dropping');
}

/** The declarations with another state of one index. Without a state, the index is removed. */
export function withState(
  declarations: Declarations,
  id: string,
  state: IndexState | undefined,
): Declarations {
  const changed = declarations.indexes.flatMap((one) =>
    one.id !== id ? [one] : state === undefined ? [] : [{ ...one, state }],
  );
  return { ...declarations, indexes: changed };
}

/** The maximum number of characters that an entry keeps of a string. All fields of an index share them. */
const maxEntryCharacters = 128;

/** The number of characters of a string that the entries of an index with this many fields keep. */
export function keptCharacters(fields: number): number {
  return Math.floor(maxEntryCharacters / fields);
}

/**
 * The declarations after the build of a unique index found items with equal values. What was written of it is dropped, and
 * an index of another id says that it failed.
 */
export function withFailure(
  declarations: Declarations,
  failed: Declaration,
  collisions: readonly string[],
): Declarations {
  const { next, indexes, ...others } = withState(declarations, failed.id, 'dropping');
  const told: Declaration = { ...failed, id: next.toString(36), state: 'failed', collisions };
  return { ...others, next: next + 1, indexes: [...indexes, told] };
}
