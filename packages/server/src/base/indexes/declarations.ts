/** What happens to an index. Its entries are complete once it is ready. */
export type IndexState = 'building' | 'ready' | 'dropping';

/** An index as the header of its base declares it. */
export interface Declaration {
  /** Begins the keys of its entries. Never used again in this base while entries with it are left. */
  readonly id: string;
  readonly name: string;
  /** Attribute paths. */
  readonly fields: readonly string[];
  readonly state: IndexState;
}

/** The header of a base: the declarations of its indexes. Stored as JSON: never rename a member. */
export interface Declarations {
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

/** Whether some index must still be built or dropped. */
export function hasWork({ indexes }: Declarations): boolean {
  return indexes.some(({ state }) => state !== 'ready');
}

/** The declarations with another state of one index. Without a state, the index is removed. */
export function withState(
  { next, indexes }: Declarations,
  id: string,
  state: IndexState | undefined,
): Declarations {
  const changed = indexes.flatMap((one) =>
    one.id !== id ? [one] : state === undefined ? [] : [{ ...one, state }],
  );
  return { next, indexes: changed };
}

/** The maximum number of characters that an entry keeps of a string. All fields of an index share them. */
const maxEntryCharacters = 128;

/** The number of characters of a string that the entries of an index with so many fields keep. */
export function keptCharacters(fields: number): number {
  return Math.floor(maxEntryCharacters / fields);
}
