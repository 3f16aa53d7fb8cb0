/** Projects that are prefixes of each other, or differ in nothing but a sign. */
export const isolatedProjects = ['a', 'ab', 'a-', 'A', 'base', 'drive', 'keys', '-'];

export function isolatedKeyOf(project: string): string {
  return `${project}_secret-of-${project}`;
}

/** What a server must accept so that the tests of isolation can be pointed at it. */
export const isolatedKeys = isolatedProjects.map(isolatedKeyOf);
