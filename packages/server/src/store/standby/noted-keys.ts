/** Too many keys: all rows of the space are compared instead. That is faster, and takes no memory. */
export type Many = 'many';

/** The keys of rows that have changed, by their spaces, in bounded memory. */
export type NotedKeys = ReturnType<typeof createNotedKeys>;

/** A base or a drive with more changed rows is compared as a whole. */
const maxKeys = 20_000;
/** What the keys of all spaces take together: some 100,000 short ones, or 15,000 of 1 KiB. */
const usualMaxBytes = 16 * 1024 * 1024;
/** About what a key takes in a set beside its characters. */
const keyBytes = 64;
/** This many stay when they were too many: spaces are looked through for the largest ones only now and then. */
const keptShare = 7 / 8;

export function createNotedKeys(maxBytes = usualMaxBytes) {
  const noted = new Map<string, { keys: Set<string>; bytes: number } | Many>();
  let allBytes = 0;

  function giveUp(space: string): void {
    const of = noted.get(space);
    if (of !== undefined && of !== 'many') allBytes -= of.bytes;
    noted.set(space, 'many');
  }

  /** Gives up the spaces whose keys take the most. */
  function bound(): void {
    if (allBytes <= maxBytes) return;
    const sizes = [...noted].flatMap(([space, of]) => (of === 'many' ? [] : [[space, of.bytes] as const]));
    for (const [space] of sizes.sort(([, a], [, b]) => b - a)) {
      if (allBytes <= maxBytes * keptShare) return;
      giveUp(space);
    }
  }

  return {
    /** What is known of a space; empty if nothing is. */
    of(space: string): Set<string> | Many {
      const of = noted.get(space);
      return of === undefined || of === 'many' ? (of ?? new Set()) : of.keys;
    },
    /** Adds keys to those of a space. When they take too much, those of the largest spaces are forgotten: they have many. */
    add(space: string, keys: Iterable<string>): void {
      const of = noted.get(space) ?? { keys: new Set(), bytes: 0 };
      if (of === 'many') return;
      noted.set(space, of);
      for (const key of keys) {
        if (of.keys.has(key)) continue;
        of.keys.add(key);
        const bytes = Buffer.byteLength(key) + keyBytes;
        of.bytes += bytes;
        allBytes += bytes;
      }
      if (of.keys.size > maxKeys) giveUp(space);
      bound();
    },
    *spaces(): Iterable<readonly [space: string, keys: ReadonlySet<string> | Many]> {
      for (const [space, of] of noted) yield [space, of === 'many' ? of : of.keys];
    },
  };
}
