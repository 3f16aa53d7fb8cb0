/** A set of names of bases or drives, given by names and by beginnings of names (docs/http.md#limited-keys). */
export interface NameSet {
  has(name: string): boolean;
}

export const allNames: NameSet = { has: () => true };
export const noNames: NameSet = { has: () => false };

/** The set of these names. One that ends in `*` stands for all names that begin with the text before it. */
export function nameSet(patterns: readonly string[]): NameSet {
  const names = new Set(patterns.filter((pattern) => !pattern.endsWith('*')));
  const beginnings = patterns
    .filter((pattern) => pattern.endsWith('*'))
    .map((pattern) => pattern.slice(0, -1));
  if (beginnings.includes('')) return allNames;
  if (beginnings.length === 0) return names;
  return { has: (name) => names.has(name) || beginnings.some((beginning) => name.startsWith(beginning)) };
}
