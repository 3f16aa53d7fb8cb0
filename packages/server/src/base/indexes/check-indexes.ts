import { headerKey, type ItemStore, type Snapshot } from '../../engines/item-store.js';
import { type Declaration, readDeclarations } from './declarations/declarations.js';
import { entryPrefix, firstItemKey, uniqueRowPrefix } from './entries/entries.js';
import { keyReader } from './reading/entry-reading.js';
import { baseCounter } from './writing/counted-items.js';
import { createIndexRowsOf } from './writing/entry-changes.js';

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
    const expected = await countRows(snapshot, ready);
    for (const [n, index] of ready.entries()) yield* checkIndex(snapshot, index, expected[n] as Expected);
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
  const prefixes = indexes.flatMap(({ id }) => [entryPrefix(id), uniqueRowPrefix(id)]);
  for await (const keys of snapshot.keys({ lt: firstItemKey })) {
    for (const key of keys) {
      if (
        key === headerKey ||
        key.startsWith(baseCounter) ||
        prefixes.some((prefix) => key.startsWith(prefix))
      )
        continue;
      yield { key, problem: 'its row belongs to no index' };
    }
  }
}

/** How many rows an index should have. */
interface Expected {
  entries: number;
  uniqueRows: number;
}

/** Gives what each index should have, by all items. */
async function countRows(snapshot: Snapshot, indexes: readonly Declaration[]): Promise<readonly Expected[]> {
  const counted = indexes.map((index) => ({ rowsOf: createIndexRowsOf([index]), entries: 0, uniqueRows: 0 }));
  // Every item has one entry in most indexes, so its value need not be read for them.
  const read = counted.filter((_, n) => indexes[n]?.each || indexes[n]?.unique);
  let items = 0;
  for await (const keys of snapshot.keys({ gte: firstItemKey })) {
    items += keys.length;
    const texts = read.length === 0 ? [] : await snapshot.texts(keys);
    for (const [n, text] of texts.entries()) {
      if (text === undefined) continue;
      for (const one of read) {
        const { entries, uniqueRows } = one.rowsOf(keys[n] as string, text);
        one.entries += entries.length;
        one.uniqueRows += uniqueRows.length;
      }
    }
  }
  return counted.map((one) => (read.includes(one) ? one : { entries: items, uniqueRows: 0 }));
}

async function* checkIndex(
  snapshot: Snapshot,
  index: Declaration,
  expected: Expected,
): AsyncGenerator<IndexProblem> {
  const rowsOf = createIndexRowsOf([index]);
  const keyOf = keyReader(index);
  let entries = 0;
  for await (const rows of snapshot.keys({ prefix: entryPrefix(index.id) })) {
    const keys = rows.map(keyOf);
    const texts = await snapshot.texts(keys);
    for (const [n, row] of rows.entries()) {
      const key = keys[n] as string;
      const text = texts[n];
      if (text !== undefined && rowsOf(key, text).entries.includes(row)) entries++;
      else yield { key, problem: `the index ${index.name} has a wrong entry for it` };
    }
  }
  let uniqueRows = 0;
  for await (const rows of snapshot.scanText({ prefix: uniqueRowPrefix(index.id) })) {
    const texts = await snapshot.texts(rows.map(({ text }) => text));
    for (const [n, { key: row, text: key }] of rows.entries()) {
      const text = texts[n];
      const isRight =
        text !== undefined && rowsOf.uniqueRowsOf(text).some((uniqueRow) => uniqueRow.row === row);
      if (isRight) uniqueRows++;
      else yield { key, problem: `the unique index ${index.name} has values for it that it does not have` };
    }
  }
  const missing = expected.entries - entries;
  if (missing !== 0) {
    const problem = `${missing} items are missing: drop the index, and declare it again`;
    yield { key: `index ${index.name}`, problem };
  }
  if (uniqueRows !== expected.uniqueRows) {
    const problem = `the values of ${expected.uniqueRows - uniqueRows} items are not kept from others: drop the index, and declare it again`;
    yield { key: `index ${index.name}`, problem };
  }
}
