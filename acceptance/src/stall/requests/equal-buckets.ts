const prime = 0x01000193;
/** `prime` times this is 1 modulo 2^32. */
const inverse = 0x359c449b;
const start = 0x811c9dc5;
/** Which of 1024 buckets. */
const mask = 0x03ff;
const quote = 0x22;
const letters = Array.from('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-', (letter) =>
  letter.charCodeAt(0),
);

/**
 * Names of six letters whose 32-bit FNV-1a hashes differ, and share few buckets of a hash table of V8, which spreads
 * small integers without a secret: a `Set` of such hashes looks at dozens of them for each name. Each name is begun
 * from the front and from the hash that it is to have, until both meet after three letters.
 */
export function namesOfFewBuckets(count: number): readonly string[] {
  const begun = beginnings();
  const names: string[] = [];
  for (let hash = 0; names.length < count; hash++) {
    if ((spread(hash) & mask) !== 0) continue;
    const name = nameOf(hash, begun);
    if (name !== undefined) names.push(name);
  }
  return names;
}

/** The first three letters by all bits of their hash that the next letter does not change. */
function beginnings(): ReadonlyMap<number, readonly [hash: number, text: string]> {
  const begun = new Map<number, readonly [number, string]>();
  for (const a of letters)
    for (const b of letters)
      for (const c of letters) {
        let hash = start;
        for (const code of [quote, a, b, c]) hash = Math.imul(hash ^ code, prime);
        begun.set(hash >>> 8, [hash, String.fromCharCode(a, b, c)]);
      }
  return begun;
}

function nameOf(hash: number, begun: ReturnType<typeof beginnings>): string | undefined {
  const before = Math.imul(Math.imul(hash, inverse) ^ quote, inverse);
  for (const f of letters)
    for (const e of letters) {
      const wanted = Math.imul(Math.imul(before ^ f, inverse) ^ e, inverse);
      const found = begun.get(wanted >>> 8);
      if (found === undefined) continue;
      const d = (wanted ^ found[0]) & 0xff;
      if (letters.includes(d)) return found[1] + String.fromCharCode(d, e, f);
    }
  return undefined;
}

/** `ComputeUnseededHash` of V8. */
function spread(key: number): number {
  let hash = (~key + (key << 15)) | 0;
  hash ^= hash >>> 12;
  hash = (hash + (hash << 2)) | 0;
  hash ^= hash >>> 4;
  hash = Math.imul(hash, 2057);
  return (hash ^ (hash >>> 16)) & 0x3fffffff;
}
