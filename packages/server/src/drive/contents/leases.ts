/**
 * The contents that are being read. A download that began before an overwrite or a delete completes with the old bytes
 * (docs/http.md#files-and-names). Therefore the sweep deletes no content that is leased.
 */
export interface Leases {
  /** Returns a function that ends the lease. Calling it again does nothing. */
  take(id: string): () => void;
  /** The same for all contents. */
  takeAll(): () => void;
  has(id: string): boolean;
}

/** Stands for every content. No content has this id. */
const all = '*';

export function createLeases(): Leases {
  const counts = new Map<string, number>();

  function release(id: string): void {
    const count = (counts.get(id) ?? 0) - 1;
    if (count > 0) counts.set(id, count);
    else counts.delete(id);
  }

  function take(id: string): () => void {
    counts.set(id, (counts.get(id) ?? 0) + 1);
    let held = true;
    return () => {
      if (held) release(id);
      held = false;
    };
  }

  return {
    take,
    takeAll: () => take(all),
    has: (id) => counts.has(id) || counts.has(all),
  };
}
