import { headerKey, type ItemStore, type Snapshot } from '../../engines/item-store.js';
import { type Declaration, readDeclarations } from './declarations.js';
import { createEntriesOf, entryPrefix, firstItemKey } from './entries.js';
import { parseEntry } from './entry-reading.js';

/** What is wrong with a row of an index, or with an index as a whole. */
export interface IndexProblem {
  readonly key: string;
  readonly problem: string;
}

/**
 * Compares the entries of the indexes of a base with its items, at one moment. Gives a problem for each entry that
 * belongs to no item or has other values than its item, and for each index that lacks entries.
 */
export async function* checkIndexes(items: ItemStore, space: string): AsyncGenerator<IndexProblem> {
  const snapshot = await items.snapshot(space);
  try {
    const [first] = await firstKeys(snapshot);
    if (first === undefined || first >= firstItemKey) return;
    const [header] = await snapshot.texts([headerKey]);
    const { indexes } = readDeclarations(header);
    yield* unknownRows(snapshot, indexes);
    const ready = indexes.filter(({ state }) => state === 'ready');
    if (ready.length === 0) return;
    let count = 0;
    for await (const keys of snapshot.keys({ gte: firstItemKey })) count += keys.length;
    for (const index of ready) yield* checkIndex(snapshot, index, count);
  } finally {
    await snapshot.close();
  }
}

async function firstKeys(snapshot: Snapshot): Promise<readonly string[]> {
  for await (const keys of snapshot.keys({ limit: 1 })) return keys;
  return [];
}

async function* unknownRows(
  snapshot: Snapshot,
  indexes: readonly Declaration[],
): AsyncGenerator<IndexProblem> {
  const prefixes = indexes.map(({ id }) => entryPrefix(id));
  for await (const keys of snapshot.keys({ lt: firstItemKey })) {
    for (const key of keys) {
      if (key === headerKey || prefixes.some((prefix) => key.startsWith(prefix))) continue;
      yield { key, problem: 'its row belongs to no index' };
    }
  }
}

async function* checkIndex(
  snapshot: Snapshot,
  index: Declaration,
  items: number,
): AsyncGenerator<IndexProblem> {
  const prefix = entryPrefix(index.id);
  const entriesOf = createEntriesOf([index]);
  let valid = 0;
  for await (const entries of snapshot.keys({ prefix })) {
    const keys = entries.map((entry) => parseEntry(entry, prefix.length, index.fields.length).key);
    const texts = await snapshot.texts(keys);
    for (const [n, entry] of entries.entries()) {
      const key = keys[n] as string;
      const text = texts[n];
      if (text !== undefined && entriesOf(key, text)[0] === entry) valid++;
      else yield { key, problem: `the index ${index.name} has a wrong entry for it` };
    }
  }
  if (valid !== items) {
    const problem = `${items - valid} items are missing: drop the index, and declare it again`;
    yield { key: `index ${index.name}`, problem };
  }
}
