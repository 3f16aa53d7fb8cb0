import type { ItemStore, Row, Snapshot } from '../../engines/item-store.js';
import { RowsDamaged } from '../../engines/storage-errors.js';
import { runInSlices, type Steps } from '../../lib/concurrency/time-slices.js';
import { limitedKeysSpace } from '../../spaces.js';
import { type KeyRow, readKeyRow } from '../key-row.js';

// The list of the limited keys. Each of them has an empty row whose key is its position in the list: `/{project}/{id}`. These
// rows come after all that begin with `!`, and before those of the keys themselves.

const begin = '/';
const rowsPerStep = 32;

export interface ListedRows {
  /** Only the keys of this project. */
  readonly project?: string | undefined;
  /** Only those after this position. */
  readonly after?: { readonly project: string; readonly id: string } | undefined;
  readonly limit: number;
}

/** The position of a key in the list. */
export function listedKey(project: string, id: string): string {
  return `${begin}${project}/${id}`;
}

function listedId(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1);
}

/**
 * What is wrong with a row of the limited keys, or undefined: each key has a row and a position in the list. Throws
 * `SyntaxError` for a row that cannot be read.
 */
export async function limitedKeyProblem(items: ItemStore, { key, value }: Row): Promise<string | undefined> {
  if (key < begin) return undefined;
  if (key.startsWith(begin)) {
    const isThere = (await items.get(limitedKeysSpace, listedId(key))) !== undefined;
    return isThere ? undefined : 'the key that it lists has no row';
  }
  const { project } = readKeyRow(value);
  const isInList = (await items.get(limitedKeysSpace, listedKey(project, key))) !== undefined;
  return isInList ? undefined : 'the key is not in the list of its project';
}

/** Whether there is any limited key. */
export async function isAnyListed(items: ItemStore): Promise<boolean> {
  const first = { prefix: begin, limit: 1, isOneBatch: true };
  for await (const _ of items.scan(limitedKeysSpace, first)) return true;
  return false;
}

/** The rows of keys by project and age. A key whose row is damaged is not among them. */
export async function readListed(
  items: ItemStore,
  { project, after, limit }: ListedRows,
): Promise<readonly (readonly [id: string, row: KeyRow])[]> {
  const prefix = project === undefined ? begin : listedKey(project, '');
  const gt = after && listedKey(after.project, after.id);
  const snapshot = await items.snapshot(limitedKeysSpace);
  try {
    const found: [string, KeyRow][] = [];
    const range = { prefix, limit, ...(gt !== undefined && { gt }) };
    for await (const keys of snapshot.keys(range)) {
      const ids = keys.map(listedId);
      await runInSlices(readAll(ids, await textsOf(snapshot, ids), found));
    }
    return found;
  } finally {
    await snapshot.close();
  }
}

async function textsOf(snapshot: Snapshot, ids: readonly string[]) {
  try {
    return await snapshot.texts(ids);
  } catch (cause) {
    if (!(cause instanceof RowsDamaged)) throw cause;
    const texts: (string | undefined)[] = [];
    for (const id of ids) texts.push(...(await snapshot.texts([id]).catch(() => [undefined])));
    return texts;
  }
}

function* readAll(
  ids: readonly string[],
  texts: readonly (string | undefined)[],
  found: [string, KeyRow][],
): Steps<void> {
  for (const [index, id] of ids.entries()) {
    const text = texts[index];
    if (text !== undefined) found.push([id, readKeyRow(text)]);
    if (index % rowsPerStep === rowsPerStep - 1) yield;
  }
}
