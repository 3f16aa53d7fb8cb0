import {
  anyFile,
  anyGarbage,
  anyPart,
  anyTrash,
  driveSpaces,
  garbageContent,
  holdersOf,
  namedContent,
  RowUnreadable,
} from '../../drive/contents/row-contents.js';
import { contentKey } from '../../drive/rows.js';
import type { ItemStore, Row } from '../../engines/item-store.js';
import { isRandomId } from '../../lib/random-id.js';
import { createIdSet } from '../id-set.js';

/** A row whose bytes, or some of them, are those of another row, too. Each should have exactly one owner. */
export interface SharedContent {
  readonly space: string;
  /** The key of the row: of a file, of a part, of a file in the trash, or of garbage. */
  readonly key: string;
  readonly value: Buffer;
  /** The id that both name. */
  readonly id: string;
  readonly ownerSpace: string;
  /** The key of the row that named it first: never that of garbage. */
  readonly owner: string;
  readonly ownerValue: Buffer;
}

type Found = Omit<SharedContent, 'ownerValue'>;

/** The ids of this many contents and blobs take some 9 MB of memory. */
const defaultIdsAtOnce = 250_000;
/** The ids are random, so a slice may have more than its share. */
const roomForChance = 1.1;

interface Slices {
  readonly count: number;
  /** For the ids of one. */
  readonly room: number;
}

/**
 * Finds the rows that share bytes. Copies of earlier versions may have such rows: there a file that was moved during a
 * copy has its old and its new name, and who deletes one takes the bytes from the other. Others may write in the meantime.
 */
export async function* findShared(
  items: ItemStore,
  idsAtOnce = defaultIdsAtOnce,
): AsyncGenerator<SharedContent> {
  const found = new Set<string>();
  const { count, room } = await sliceOf(items, idsAtOnce);
  for (let slice = 0; slice < count; slice++) {
    const isInSlice = (id: string) => Number.parseInt(id.slice(0, 8), 16) % count === slice;
    const shared = await sharedIds(items, room, isInSlice);
    if (shared.size === 0) continue;
    for await (const one of laterOwners(items, shared)) {
      const row = `${one.space} ${one.key}`;
      if (found.has(row)) continue;
      const ownerValue = await stillOwner(items, one);
      if (ownerValue === undefined) continue;
      found.add(row);
      yield { ...one, ownerValue };
    }
  }
}

/** Into how many slices the ids are divided, so that those of one slice fit. */
async function sliceOf(items: ItemStore, idsAtOnce: number): Promise<Slices> {
  let ids = 0;
  for await (const owner of owners(items)) ids += owner.ids.length;
  const count = Math.max(1, Math.ceil(ids / idsAtOnce));
  return { count, room: Math.ceil((ids / count) * roomForChance) + 100 };
}

/** The ids that are named twice. */
async function sharedIds(
  items: ItemStore,
  room: number,
  isInSlice: (id: string) => boolean,
): Promise<ReadonlySet<string>> {
  const shared = new Set<string>();
  const seen = createIdSet(room);
  for await (const { row, ids } of owners(items)) {
    for (const id of ids) {
      if (!isInSlice(id)) continue;
      if (seen.has(id)) shared.add(id);
      // Several rows of garbage may name the same bytes.
      else if (!isGarbage(row) && !seen.isFull) seen.add(id);
    }
  }
  return shared;
}

/** The rows that name one of these ids, but the first one of each. */
async function* laterOwners(items: ItemStore, shared: ReadonlySet<string>): AsyncGenerator<Found> {
  const first = new Map<string, { readonly ownerSpace: string; readonly owner: string }>();
  for await (const { space, row, ids } of owners(items)) {
    const id = ids.find((one) => first.has(one));
    const owner = id === undefined ? undefined : first.get(id);
    if (id !== undefined && owner !== undefined) yield { space, ...row, id, ...owner };
    else if (!isGarbage(row))
      for (const one of ids) if (shared.has(one)) first.set(one, { ownerSpace: space, owner: row.key });
  }
}

/** The row of the owner, if both name the id at one moment: a content may have moved while the rows were read. */
async function stillOwner(
  items: ItemStore,
  { space, key, value, id, ownerSpace, owner }: Found,
): Promise<Buffer | undefined> {
  const keys = space === ownerSpace ? [key, owner] : [key];
  const rows = await items.transact(space, keys, (found) => ({ result: found }));
  const [row, other = await items.get(ownerSpace, owner)] = rows;
  if (other === undefined || !row?.equals(value)) return undefined;
  const ids = await idsOf(items, ownerSpace, { key: owner, value: other });
  return ids.includes(id) ? other : undefined;
}

interface Owner {
  readonly space: string;
  readonly row: Row;
  readonly ids: readonly string[];
}

/** All rows that own bytes: files first. */
async function* owners(items: ItemStore): AsyncGenerator<Owner> {
  for await (const space of items.spaces(driveSpaces)) {
    for (const prefix of [anyFile, anyPart, anyTrash, anyGarbage]) {
      for await (const batch of items.scan(space, { prefix })) {
        for (const row of batch) yield { space, row, ids: await idsOf(items, space, row) };
      }
    }
  }
}

/** The ids of a row's content and of the blobs and rows that hold it. None for a row that cannot be read. */
async function idsOf(items: ItemStore, space: string, row: Row): Promise<readonly string[]> {
  try {
    const content = namedContent(row) ?? garbageContent(row);
    if (content === undefined) return [];
    const holders = await holdersOf(items, space, content);
    const held = holders?.rows.map((key) => key.slice(contentKey('').length)) ?? [];
    return [...new Set([content.id, ...(holders?.blobs ?? []), ...held])].filter(isRandomId);
  } catch (cause) {
    if (cause instanceof RowUnreadable) return [];
    throw cause;
  }
}

function isGarbage({ key }: Pick<Row, 'key'>): boolean {
  return key.startsWith(anyGarbage);
}
