/** Resources by name. Each is created when a caller needs it, shared, and dropped when no caller uses it any more. */
export interface ReferenceCounted<Resource> {
  /** Does the work with the resource of that name. */
  use<T>(name: string, work: (resource: Resource) => Promise<T>): Promise<T>;
}

export function createReferenceCounted<Resource>(
  create: (name: string) => Resource,
): ReferenceCounted<Resource> {
  const entries = new Map<string, { readonly resource: Resource; users: number }>();

  return {
    async use(name, work) {
      const entry = entries.get(name) ?? { resource: create(name), users: 0 };
      entries.set(name, entry);
      entry.users++;
      try {
        return await work(entry.resource);
      } finally {
        entry.users--;
        if (entry.users === 0) entries.delete(name);
      }
    },
  };
}
