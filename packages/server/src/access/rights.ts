/** What a key may do at most; each includes those after it (docs/http.md#limited-keys). */
export const keyAccesses = ['full', 'write', 'read'] as const;
export type KeyAccess = (typeof keyAccesses)[number];

/** What an operation needs: no key, a key with this access, a key without any limit, or the key of the operator. */
export type Access = 'no key' | KeyAccess | 'no limit' | 'operator';

/** The needs in their order: who fulfils one fulfils those before it. */
export const ranks: Readonly<Record<Access, number>> = {
  'no key': 0,
  read: 1,
  write: 2,
  full: 3,
  'no limit': 4,
  operator: 5,
};

/** What an operation works on. It decides which list of the key is compared with the name in the path. */
type Target = 'base' | 'drive' | 'base or drive' | 'project';

/**
 * Where the keys of items and names of files are that an operation touches. `path` and `query`: before the handler runs,
 * they are compared with the key's prefix. `body`: the handler compares them with `requireWithin`. `narrowed`: the
 * handler works only on what begins with the prefix. `whole`: a key with a prefix is refused.
 */
export type Names = 'path' | 'query' | 'body' | 'narrowed' | 'whole';

/** Who may use an operation. The listener compares it with the key before the handler runs. */
export interface Right {
  readonly access: Access;
  /** The rank of `access` in the order of needs. */
  readonly rank: number;
  readonly target: Target;
  readonly names: Names;
}

/** The right that an operation needs. A key with a prefix may only what says where its names are. */
export function rightOf(operation: {
  readonly path: string;
  readonly access: Access;
  readonly names?: Names;
}): Right {
  const { path, access, names = 'whole' } = operation;
  return { access, rank: ranks[access], target: targetOf(path), names };
}

function targetOf(path: string): Target {
  if (path.includes('/{base}')) return 'base';
  if (path.includes('/{drive}')) return 'drive';
  return path.includes('/{name}') ? 'base or drive' : 'project';
}
