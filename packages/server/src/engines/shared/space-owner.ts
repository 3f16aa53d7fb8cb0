/**
 * Who takes a turn when a space is read or written. The spaces `kind/owner/name` of one owner are the same one; any other
 * space is one of its own.
 */
export function ownerOf(space: string): string {
  const from = space.indexOf('/');
  const to = space.indexOf('/', from + 1);
  // With its `/`, an owner is no other space: these begin with a letter.
  return to === -1 ? space : space.slice(from, to);
}
