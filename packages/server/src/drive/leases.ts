/**
 * The contents that are being read. A download that began before an overwrite or a delete completes with the old bytes
 * (docs/http.md#files-and-names). Therefore the sweep deletes no content that is leased.
 */
export interface Leases {
  /** Returns a function that ends the lease. Calling it again does nothing. */
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
