/**
 * Which contents are being read. "A download that began before an overwrite or a delete ends with the bytes it
 * began with": the sweep leaves a content alone for as long as it is leased.
 */
export interface Leases {
  /** Returns what ends the lease; calling it again does nothing. */
  take(id: string): () => void;
  has(id: string): boolean;
}

export function createLeases(): Leases {
  const counts = new Map<string, number>();

  function release(id: string): void {
    const count = (counts.get(id) ?? 0) - 1;
    if (count > 0) counts.set(id, count);
    else counts.delete(id);
  }

  return {
    take(id) {
      counts.set(id, (counts.get(id) ?? 0) + 1);
      let held = true;
      return () => {
        if (held) release(id);
        held = false;
      };
    },
    has: (id) => counts.has(id),
  };
}
