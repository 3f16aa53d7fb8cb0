import type { ItemStore, Row } from '../../engines/item-store.js';
import {
  contentKey,
  type FileRow,
  type GarbageRow,
  garbageKey,
  type Layout,
  type ListedPiece,
  linkedKey,
  listedKey,
  nameKey,
  type Piece,
  partsPrefix,
  type RestoredRow,
  readRow,
  restoredKey,
  trashKey,
  uploadKey,
  uploadOfPartKey,
} from '../rows.js';

/**
 * This file says which bytes a row names, and where they are stored. Downloads, the sweep of garbage, the search for
 * orphans, `check` and `copy` use it.
 */

/** The prefix of the names of all drive spaces. */
export const driveSpaces = 'drive/';
export const anyFile = nameKey('');
export const anyPart = partsPrefix('').slice(0, -1);
export const anyTrash = trashKey('');
export const anyRestored = restoredKey('');
export const anyLinked = linkedKey('');
export const anyListed = listedKey('');
export const anyGarbage = garbageKey('');
const anyContent = contentKey('');

/** A row does not have the form that its key requires. */
export class RowUnreadable extends Error {
  override readonly name = 'RowUnreadable';
}

/** The id of a content, and where its bytes are stored. */
export interface ContentName {
  readonly id: string;
  readonly layout: Layout;
}

/** The content of a file or of a part. */
export type NamedContent = ContentName &
  Pick<FileRow, 'sizeBytes' | 'crc32' | 'chunkCrc32s'> &
  Partial<Pick<FileRow, 'modifiedMs'>>;

/** The blobs and rows that hold the bytes of a content. */
export interface Holders {
  /** The ids of blobs. */
  readonly blobs: readonly string[];
  /** The keys of rows: those with bytes, and the list of the pieces. */
  readonly rows: readonly string[];
}

/**
 * Gives the content that the row of a file, a part or a file in the trash names, and undefined for any other row. Throws
 * `RowUnreadable`.
 */
export function namedContent({ key, value }: Row): NamedContent | undefined {
  if (!(key.startsWith(anyFile) || key.startsWith(anyPart) || key.startsWith(anyTrash))) return undefined;
  return knownLayout(readable<NamedContent>(value));
}

/**
 * Gives the content that a garbage row names, and undefined for any other row and for an upload. Throws
 * `RowUnreadable`.
 */
export function garbageContent({ key, value }: Row): ContentName | undefined {
  if (!key.startsWith(anyGarbage)) return undefined;
  const garbage = readable<GarbageRow | null>(value);
  if (garbage?.layout === 'upload') return undefined;
  return knownLayout({ ...garbage, id: key.slice(anyGarbage.length) } as ContentName);
}

/** Gives the content that came back from the trash, and undefined for any other row. Throws `RowUnreadable`. */
export function restoredContent({ key, value }: Row): ContentName | undefined {
  if (!key.startsWith(anyRestored)) return undefined;
  const { layout } = readable<RestoredRow>(value);
  return knownLayout({ layout, id: key.slice(anyRestored.length) });
}

/**
 * Whether a row is a part whose upload was aborted or dropped. Such a part may name missing bytes: they are deleted
 * before its row.
 */
export async function isOfClosedUpload(
  items: Pick<ItemStore, 'get'>,
  space: string,
  key: string,
): Promise<boolean> {
  const upload = uploadOfPartKey(key);
  return upload !== undefined && (await items.get(space, uploadKey(upload))) === undefined;
}

/** Gives the key of the row that holds all bytes of a content, or undefined if they are stored in another way. */
export function bytesKey({ id, layout }: ContentName): string | undefined {
  return layout === 'row' ? contentKey(id) : undefined;
}

/** Gives the pieces of a content in their order, or undefined if their list is missing. Throws `RowUnreadable`. */
export async function piecesOf(
  items: Pick<ItemStore, 'get'>,
  space: string,
  content: NamedContent,
): Promise<readonly ListedPiece[] | undefined> {
  const { id, layout, sizeBytes, crc32 = 0, chunkCrc32s } = content;
  if (layout === 'parts') return await listedPieces(items, space, id);
  return [{ id, layout, sizeBytes, crc32, chunkCrc32s }];
}

/**
 * Gives the blobs and rows that hold the bytes of a content, or undefined if the list of its pieces is missing. Throws
 * `RowUnreadable`.
 */
export async function holdersOf(
  items: Pick<ItemStore, 'get'>,
  space: string,
  { id, layout }: ContentName,
): Promise<Holders | undefined> {
  if (layout === 'row') return { blobs: [], rows: [contentKey(id)] };
  if (layout === 'blob') return { blobs: [id], rows: [] };
  const pieces = await listedPieces(items, space, id);
  if (pieces === undefined) return undefined;
  const { blobs, rows } = holdersOfPieces(pieces);
  return { blobs, rows: [...rows, contentKey(id)] };
}

export function holdersOfPieces(pieces: readonly ContentName[]): Holders {
  return {
    blobs: pieces.filter(({ layout }) => layout === 'blob').map(({ id }) => id),
    rows: pieces.filter(({ layout }) => layout === 'row').map(({ id }) => contentKey(id)),
  };
}

/**
 * Gives the ids of the blobs that a row names, without reading any other row. The row is that of a file, a part,
 * a file in the trash, garbage or a list of pieces. A small file may hold bytes that look like such a list; then the ids may
 * refer to no blob. Throws `RowUnreadable`.
 */
export function blobsNamedBy(row: Row): readonly string[] {
  const pieces = row.key.startsWith(anyContent) ? piecesInBytes(row.value) : undefined;
  const content = namedContent(row) ?? garbageContent(row);
  return holdersOfPieces(pieces ?? (content === undefined ? [] : [content])).blobs;
}

/**
 * The beginning of a list of pieces as `JSON.stringify` writes it. Only small files that begin like this are parsed as
 * JSON.
 */
const listBegin = Buffer.from('[{"id":"');

function piecesInBytes(bytes: Buffer): readonly Piece[] {
  if (!bytes.subarray(0, listBegin.length).equals(listBegin)) return [];
  return readable<Piece[]>(bytes).filter((piece) => typeof piece?.id === 'string');
}

async function listedPieces(
  items: Pick<ItemStore, 'get'>,
  space: string,
  id: string,
): Promise<readonly ListedPiece[] | undefined> {
  const list = await items.get(space, contentKey(id));
  if (list === undefined) return undefined;
  const pieces = readable<readonly ListedPiece[]>(list);
  if (!Array.isArray(pieces)) throw new RowUnreadable('its row does not hold a list of pieces');
  return pieces.map(knownLayout);
}

const layouts: readonly unknown[] = ['row', 'blob', 'parts'];

function knownLayout<C extends ContentName>(content: C): C {
  if (layouts.includes(content?.layout)) return content;
  throw new RowUnreadable(`its layout is not known: ${String(content?.layout)}`);
}

function readable<T>(value: Buffer): T {
  try {
    return readRow<T>(value);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new RowUnreadable(`its row cannot be read: ${cause.message}`, { cause });
  }
}
