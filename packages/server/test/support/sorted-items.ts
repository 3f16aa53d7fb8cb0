export type Item = { readonly key: string; readonly [name: string]: unknown };

/** The items in the order of the paths, each of which is the name of an attribute, and then of the keys: a plain model. */
export function sortedItems(items: readonly Item[], paths: readonly string[], sort: string): Item[] {
  return [...items].sort((x, y) => {
    for (const path of paths) {
      const name = path.replace('-', '');
      const isMissing = x[name] === undefined || y[name] === undefined;
      const difference = compare(x[name], y[name]) * (path.startsWith('-') && !isMissing ? -1 : 1);
      if (difference !== 0) return difference;
    }
    return (sort === 'desc' ? -1 : 1) * Buffer.compare(Buffer.from(x.key), Buffer.from(y.key));
  });
}

function compare(x: unknown, y: unknown): number {
  if (rankOf(x) !== rankOf(y)) return rankOf(x) - rankOf(y);
  if (typeof x === 'number') return x - (y as number);
  return typeof x === 'string' ? Buffer.compare(Buffer.from(x), Buffer.from(y as string)) : 0;
}

function rankOf(value: unknown): number {
  if (value === undefined) return 7;
  if (value === null) return 6;
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'object') return Array.isArray(value) ? 4 : 5;
  return typeof value === 'number' ? 2 : 3;
}
