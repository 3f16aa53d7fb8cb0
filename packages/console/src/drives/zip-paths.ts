/**
 * Gives names their paths in the zip. A name may have `..`, nothing between two `/`, or signs that are part of a path
 * elsewhere: none of that may lead out of the folder in which the zip is unpacked, and no two names get the same path.
 */
export function createPaths(folder: string): (name: string) => string {
  const taken = new Set<string>();
  return (name) => {
    const parts = name.slice(folder.length).split('/');
    const path = parts
      .map((part) => (/^\.{0,2}$/.test(part) ? '_' : part.replace(/[\\:\p{Cc}]/gu, '_')))
      .join('/');
    let unique = path;
    for (let n = 2; taken.has(unique); n++) unique = path.replace(/(\.[^./]*)?$/, ` (${n})$1`);
    taken.add(unique);
    return unique;
  };
}
