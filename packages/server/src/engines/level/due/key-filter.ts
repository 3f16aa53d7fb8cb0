/** A Bloom filter of keys: it never denies a key that was added, and affirms 1 in 40 that were not when it is full. */
export type KeyFilter = ReturnType<typeof createKeyFilter>;

const bitsPerKey = 8;
const probes = 4;
const minCapacity = 2 ** 13;
/** 16 MiB of memory. */
const maxCapacity = 2 ** 24;

/** A filter for at least `keys` keys, up to the largest capacity. */
export function createKeyFilter(keys: number) {
  const capacity = 2 ** Math.ceil(Math.log2(Math.min(Math.max(keys, minCapacity), maxCapacity)));
  const bits = new Uint8Array((capacity * bitsPerKey) / 8);
  const mask = capacity * bitsPerKey - 1;
  let size = 0;

  function mayHave(key: string): boolean {
    if (size === 0) return false;
    const hash = hashOf(key);
    const step = stepOf(hash);
    for (let probe = 0, bit = hash; probe < probes; probe++, bit += step) {
      if (((bits[(bit & mask) >>> 3] as number) & (1 << (bit & 7))) === 0) return false;
    }
    return true;
  }

  return {
    mayHave,
    add(key: string): void {
      if (mayHave(key)) return;
      size++;
      const hash = hashOf(key);
      const step = stepOf(hash);
      for (let probe = 0, bit = hash; probe < probes; probe++, bit += step) {
        const at = (bit & mask) >>> 3;
        bits[at] = (bits[at] as number) | (1 << (bit & 7));
      }
    },
    /**
     * Whether it has all the keys that it was made for, so that a larger filter is better. The largest one is never full.
     */
    get isFull(): boolean {
      return size > capacity && capacity < maxCapacity;
    },
    /** Whether it has more than half of the keys that it was made for. */
    get isHalfFull(): boolean {
      return 2 * size > capacity && capacity < maxCapacity;
    },
  };
}

/** FNV-1a over UTF-16 units: 50 ns for a key of 40 characters. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return hash ^ (hash >>> 15);
}

function stepOf(hash: number): number {
  return Math.imul(hash ^ (hash >>> 13), 0x5bd1e995) | 1;
}
