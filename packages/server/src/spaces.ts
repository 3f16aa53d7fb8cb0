/**
 * The names of spaces. A project has no `/` and the name of a base or drive comes last, so no two of them are equal.
 * The engine marks the end of a space, so no space is a prefix of another.
 */
export const keysSpace = 'keys';
/** Limited keys, which are read when they are used. Stored: never rename. */
export const limitedKeysSpace = 'keys/limited';
/** Facts about the rows as a whole. They apply to this store only, so they are not copied. */
export const storeSpace = 'store';
/**
 * Which of several servers does maintenance. It applies to these servers only, so it is not copied. Stored: never
 * rename.
 */
export const maintenanceSpace = 'upkeep';
/**
 * The orphans that wait for their end. They are blobs of this store only, so they are not copied. Stored: never rename.
 */
export const orphansSpace = 'upkeep/orphans';
/** What these rows are a copy of. It applies to this store only, so it is not copied. */
export const copySpace = 'copy';

/**
 * Since when changes are noted. The logs of projects are spaces below it. They belong to this store only, so they are not
 * copied: whoever follows begins again. Stored: never rename.
 */
export const changesSpace = 'changes';

export function changesSpaceOf(project: string): string {
  return `${changesSpace}/${project}`;
}

/**
 * Which webhooks have changed last: servers that share the rows look here. The webhooks of projects are spaces below it,
 * a row for each. Stored: never rename.
 */
export const hooksSpace = 'hooks';

export function hooksSpaceOf(project: string): string {
  return `${hooksSpace}/${project}`;
}

/** Which files of its drives are public: a row for each such drive. Stored: never rename. */
export function publicSpace(project: string): string {
  return `public/${project}`;
}

/** What was counted last of bases without a counter: a row for each, whose key is its space. Stored: never rename. */
export const countsSpace = 'counts';

/**
 * What the operator has set for projects: a row for each that was created, has a quota or is being deleted. Stored:
 * never rename.
 */
export const projectsSpace = 'projects/rows';

/**
 * What projects with a quota store, on rows that servers share: a space for each. It follows from their rows, so it is not
 * copied. Stored: never rename.
 */
export const accountsSpace = 'accounts';

export function accountSpaceOf(project: string): string {
  return `${accountsSpace}/${project}`;
}

/** The beginning of the names of the spaces of all bases. */
export const baseSpaces = 'base/';

export function baseSpace(project: string, base: string): string {
  return `${baseSpaces}${project}/${base}`;
}

/** The project of the space of a base or a drive. */
export function projectOfSpace(space: string): string {
  const from = space.indexOf('/') + 1;
  return space.slice(from, space.indexOf('/', from));
}

/** The beginning of the names of the spaces of all drives. */
export const driveSpaces = 'drive/';

export function driveSpace(project: string, drive: string): string {
  return `${driveSpaces}${project}/${drive}`;
}
