import {
  anyPart,
  driveSpaces,
  holdersOf,
  namedContent,
  piecesOf,
  RowUnreadable,
} from '../../drive/contents/row-contents.js';
import { garbageKey, type Piece, uploadKey, uploadOfPartKey } from '../../drive/rows.js';
import type { ItemStore, Row, ScannedRow } from '../../engines/item-store.js';
import { BlobMissing } from '../../engines/storage-errors.js';
import { groupsOf } from '../../lib/groups.js';
import { neededBlobs } from '../copy/named-blobs.js';
import type { SpaceSnapshot } from '../copy/space-snapshot.js';

const anyUpload = uploadKey('');
const keysAtOnce = 100;
/** About what a row, or a piece of a content, takes in addition to its characters. */
const rowBytes = 128;
const pieceBytes = 256;

/** What is noted of a drive takes more memory than a step may have. */
export class TooMuchNoted extends Error {
  override readonly name = 'TooMuchNoted';
}

/** Counts what a step has read of a drive. Throws `TooMuchNoted` when that is too much. */
export class ReadRoom {
  constructor(private leftBytes: number) {}
  take(bytes: number): void {
    this.leftBytes -= bytes;
    if (this.leftBytes < 0) throw new TooMuchNoted();
  }
}

/**
 * These rows as they are at a moment; undefined for what is not there. With the garbage of uploads that have ended: the
 * parts of such an upload belong to it until they are deleted.
 */
export async function rowsAt(
  moment: Pick<SpaceSnapshot, 'scan'>,
  keys: ReadonlySet<string>,
  room: ReadRoom,
): Promise<ReadonlyMap<string, ScannedRow | undefined>> {
  const found = new Map<string, ScannedRow | undefined>();
  const read = async (key: string) => {
    found.set(key, undefined);
    for await (const rows of moment.scan({ gte: key, lte: key, limit: 1 })) found.set(key, rows[0]);
    room.take(rowBytes + (found.get(key)?.value.length ?? 0));
  };
  for (const key of keys) await read(key);
  const uploads = new Set([...keys].map(uploadOfKey).filter((id) => id !== undefined));
  for (const id of uploads) if (found.get(uploadKey(id)) === undefined) await read(garbageKey(id));
  return found;
}

function uploadOfKey(key: string): string | undefined {
  if (key.startsWith(anyPart)) return uploadOfPartKey(key);
  return key.startsWith(anyUpload) ? key.slice(anyUpload.length) : undefined;
}

/** The rows that are there of these, by their keys. */
export async function readRows(
  items: ItemStore,
  space: string,
  keys: readonly string[],
  room: ReadRoom,
): Promise<ReadonlyMap<string, Row>> {
  const found = new Map<string, Row>();
  for (const some of groupsOf(keys, keysAtOnce)) {
    const values = await items.transact(space, some, (rows) => ({ result: rows }));
    for (const [n, key] of some.entries()) {
      const value = values[n];
      if (value === undefined) continue;
      room.take(rowBytes + value.length);
      found.set(key, { key, value });
    }
  }
  return found;
}

/** What some rows own. */
export interface Owned {
  readonly blobs: ReadonlyMap<string, Piece>;
  /** The keys of the rows with bytes, and of the lists of pieces. */
  readonly rows: ReadonlySet<string>;
  /** By the key of each row that owns a content: the blobs that it needs, or why they are not known. */
  readonly owners: ReadonlyMap<string, { readonly needs: readonly Piece[]; readonly problem?: string }>;
}

/** Gives what these rows own: files, in the trash or not, and parts. `items` must show the moment of the rows. */
export async function ownedAt(
  items: Pick<ItemStore, 'get'>,
  space: string,
  rows: Iterable<Row | undefined>,
  room: ReadRoom,
): Promise<Owned> {
  const blobs = new Map<string, Piece>();
  const contents = new Set<string>();
  const owners = new Map<string, { readonly needs: readonly Piece[]; readonly problem?: string }>();
  for (const row of rows) {
    if (row === undefined || !space.startsWith(driveSpaces)) continue;
    try {
      const content = namedContent(row);
      if (content === undefined) continue;
      const needs = await neededBlobs(items, space, row);
      const pieces = (await piecesOf(items, space, content)) ?? [];
      for (const { chunkCrc32s = '' } of [...needs, ...pieces]) room.take(pieceBytes + chunkCrc32s.length);
      for (const piece of pieces) if (piece.layout === 'blob') blobs.set(piece.id, piece);
      for (const key of (await holdersOf(items, space, content))?.rows ?? []) contents.add(key);
      owners.set(row.key, { needs });
    } catch (cause) {
      if (!(cause instanceof RowUnreadable || cause instanceof BlobMissing)) throw cause;
      owners.set(row.key, { needs: [], problem: cause.message });
    }
  }
  return { blobs, rows: contents, owners };
}
