/** Listed indexes without what depends on the server that is asked: how often it has used them, and when. */
export function withoutUses<T extends object>(indexes: readonly T[]): T[] {
  return indexes.map((index) => {
    const { uses, used_at, ...rest } = index as T & { uses?: number; used_at?: number };
    if (!Number.isInteger(uses) || (uses === 0) !== (used_at === undefined))
      throw new Error(`an index was used ${uses} times, the last time at ${used_at}`);
    return rest as T;
  });
}
