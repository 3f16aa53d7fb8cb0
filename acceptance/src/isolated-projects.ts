/** Projects whose names are prefixes of each other, or differ only in one character. */
export const isolatedProjects = ['a', 'ab', 'a-', 'A', 'base', 'drive', 'keys', '-'];

export function isolatedKeyOf(project: string): string {
  return `${project}_secret-of-${project}`;
}

/** The keys that a server must accept if the isolation tests are to run against it. */
export const isolatedKeys = isolatedProjects.map(isolatedKeyOf);
