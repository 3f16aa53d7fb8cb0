import { createHash } from 'node:crypto';

const firstSlots = 1024;
const hashBytes = 8;
const maxFill = 0.6;

/** A set of texts that only remembers 63 bits of their SHA-256: about 20 bytes of memory for each text. */
export type HashSet = ReturnType<typeof createHashSet>;

/**
 * Makes an empty set. Two of a million texts have the same 63 bits with a probability of 1 to 18 million. Then one of them is
 * taken to be in the set although it is not.
 */
export function createHashSet() {
  let slots = new BigUint64Array(firstSlots);
  let size = 0;

  /** The slot of a hash, or the empty slot at which its search ends. */
  function find(table: BigUint64Array, hash: bigint): number {
    let slot = Number(hash % BigInt(table.length));
    while (table[slot] !== 0n && table[slot] !== hash) slot = (slot + 1) % table.length;
    return slot;
  }

  return {
    has(text: string) {
      return slots[find(slots, hashOf(text))] !== 0n;
    },
    add(text: string) {
      const hash = hashOf(text);
      const slot = find(slots, hash);
      if (slots[slot] === hash) return;
      slots[slot] = hash;
      size++;
      if (size < slots.length * maxFill) return;
      const larger = new BigUint64Array(slots.length * 2);
      for (const value of slots) if (value !== 0n) larger[find(larger, value)] = value;
      slots = larger;
    },
  };
}

/** Never 0, which marks an empty slot. */
function hashOf(text: string): bigint {
  return createHash('sha256').update(text).digest().subarray(0, hashBytes).readBigUInt64LE() | 1n;
}
