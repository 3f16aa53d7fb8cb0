const idBytes = 16;
const empty = 0;
const present = 1;
const removed = 2;

/** A set of random ids in one buffer: 34 bytes of memory for each id, where a `Set` of strings takes a hundred. */
export type IdSet = ReturnType<typeof createIdSet>;

/** Open addressing, half full at most. The ids are random, so their first bytes are a hash. */
export function createIdSet(capacity: number) {
  const slots = 2 ** Math.ceil(Math.log2(capacity * 2));
  const ids = Buffer.alloc(slots * idBytes);
  const states = new Uint8Array(slots);
  let used = 0;
  let size = 0;

  /** The slot of an id, or the empty slot at which its search ends. */
  function find(bytes: Buffer): number {
    let slot = bytes.readUInt32LE(0) & (slots - 1);
    while (states[slot] !== empty && bytes.compare(ids, slot * idBytes, (slot + 1) * idBytes) !== 0) {
      slot = (slot + 1) & (slots - 1);
    }
    return slot;
  }

  return {
    get size(): number {
      return size;
    },
    get isFull(): boolean {
      return used === capacity;
    },
    /** Throws `RangeError` when the set is full. */
    add(id: string): void {
      const bytes = Buffer.from(id, 'hex');
      const slot = find(bytes);
      if (states[slot] === present) return;
      if (states[slot] === empty) {
        if (used === capacity) throw new RangeError(`There is room for ${capacity} ids`);
        bytes.copy(ids, slot * idBytes);
        used++;
      }
      states[slot] = present;
      size++;
    },
    has(id: string): boolean {
      return states[find(Buffer.from(id, 'hex'))] === present;
    },
    remove(id: string): void {
      const slot = find(Buffer.from(id, 'hex'));
      if (states[slot] !== present) return;
      states[slot] = removed;
      size--;
    },
    clear(): void {
      states.fill(empty);
      used = 0;
      size = 0;
    },
    /** The ids that were added and not removed. */
    *values(): Generator<string> {
      for (let slot = 0; slot < slots; slot++) {
        if (states[slot] === present) yield ids.toString('hex', slot * idBytes, (slot + 1) * idBytes);
      }
    },
  };
}
