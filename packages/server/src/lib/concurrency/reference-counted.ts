/**
 * Resources by name. Each is created when a caller needs it, shared, and dropped when no caller uses it any more. Gives the
 * function that does work with the resource of a name.
 */
export function createReferenceCounted<Resource>(create: (name: string) => Resource) {
  const entries = new Map<string, { readonly resource: Resource; users: number }>();

  return async <T>(name: string, work: (resource: Resource) => Promise<T>): Promise<T> => {
    const entry = entries.get(name) ?? { resource: create(name), users: 0 };
    entries.set(name, entry);
    entry.users++;
    try {
      return await work(entry.resource);
    } finally {
      if (--entry.users === 0) entries.delete(name);
    }
  };
}
