import { readToKeep, WrongBytes } from '../../drive/contents/checksums.js';
import { readRowChecked } from '../../drive/contents/content.js';
import { garbageRow } from '../../drive/contents/garbage.js';
import { blobPiece, rowPiece, type StoredPiece } from '../../drive/contents/piece.js';
import {
  anyGarbage,
  anyPart,
  anyTrash,
  bytesKey,
  namedContent,
  piecesOf,
} from '../../drive/contents/row-contents.js';
import {
  type FileRow,
  fileRow,
  garbageKey,
  jsonRow,
  nameOfKey,
  type PartRow,
  type Piece,
  readRow,
  type TrashRow,
  trashRow,
  type UploadRow,
  uploadKey,
  uploadOfPartKey,
  uploadRow,
} from '../../drive/rows.js';
import { contentOf, fileOf, keptByCopies } from '../../drive/uploads/file-of-parts.js';
import type { Change, Put } from '../../engines/item-store.js';
import { BlobMissing, isBadSector } from '../../engines/storage-errors.js';
import type { Store } from '../../engines/store.js';
import { type Clock, nowSeconds } from '../../lib/clock.js';
import { randomId } from '../../lib/random-id.js';
import type { SharedContent } from './shared-contents.js';

export interface SeparateOptions extends Store {
  readonly clock: Clock;
}

/** Until they have their name, the copied bytes are garbage that is not due, so that no search takes them for orphans. */
const graceSeconds = 24 * 60 * 60;

/**
 * Makes a row share no bytes any more. A file or a part gets a copy of its bytes; its ETag changes with it. A garbage row
 * is dropped: the bytes belong to the other row. Gives whether it did; it does not when the row has changed, and when the
 * bytes are damaged or missing.
 */
export async function separate(options: SeparateOptions, shared: SharedContent): Promise<boolean> {
  if (shared.key.startsWith(anyGarbage)) return await replaceRow(options, shared, []);
  const { space, key, value } = shared;
  try {
    const content = namedContent({ key, value });
    const pieces = content && (await piecesOf(options.items, space, content));
    if (pieces === undefined) return false;
    return await giveCopies(options, shared, pieces);
  } catch (cause) {
    if (cause instanceof BlobMissing || cause instanceof WrongBytes || isBadSector(cause)) return false;
    throw cause;
  }
}

async function giveCopies(
  options: SeparateOptions,
  shared: SharedContent,
  pieces: readonly Piece[],
): Promise<boolean> {
  const { items, clock } = options;
  const { space, key, value } = shared;
  const copies: Piece[] = [];
  const puts: Put[] = [];
  const due = nowSeconds(clock) + graceSeconds;
  for (const piece of pieces) {
    const stored = await copyPiece(options, space, piece);
    copies.push(stored.piece);
    puts.push(...stored.puts);
    if (stored.piece.layout !== 'blob') continue;
    const held = garbageRow(stored.piece.id, { layout: 'blob' }, due);
    await items.transact(space, [], () => ({ puts: [held], result: undefined }));
  }
  const held = copies.filter(({ layout }) => layout === 'blob').map(({ id }) => garbageKey(id));
  const made = key.startsWith(anyPart) ? partWith(key, value, copies) : fileWith(shared, copies);
  if (await replaceRow(options, shared, [...puts, ...made], held)) return true;
  // What was copied in vain is due now.
  const dropped = held.map((id) =>
    garbageRow(id.slice(anyGarbage.length), { layout: 'blob' }, nowSeconds(clock)),
  );
  await items.transact(space, [], () => ({ puts: dropped, result: undefined }));
  return false;
}

async function copyPiece(store: Store, space: string, piece: Piece): Promise<StoredPiece> {
  if (bytesKey(piece) !== undefined) return rowPiece(await readRowChecked(store, space, piece));
  return await blobPiece(store, readToKeep(store.blobs, piece));
}

function fileWith({ key, value }: SharedContent, copies: readonly Piece[]): readonly Put[] {
  const before = readRow<FileRow>(value);
  const { modifiedMs, uploadId } = before;
  const content = contentOf(copies, randomId());
  const { puts } = content;
  const file = fileOf(content, { ...keptByCopies(before), modifiedMs, uploadId });
  if (!key.startsWith(anyTrash)) return [fileRow(nameOfKey(key), file), ...puts];
  const { name, deletedMs, endsAtSeconds } = readRow<TrashRow>(value);
  return [trashRow(key, { ...file, name, deletedMs, endsAtSeconds }), ...puts];
}

function partWith(key: string, value: Buffer, copies: readonly Piece[]): readonly Put[] {
  const { contentType, md5, checksum, modifiedMs } = readRow<PartRow>(value);
  return copies.map((piece) => jsonRow<PartRow>(key, { ...piece, contentType, md5, checksum, modifiedMs }));
}

/** Replaces the row, or deletes it if `puts` is empty, unless it has changed or the other row no longer has its bytes. */
async function replaceRow(
  { items }: Store,
  { space, key, value, ownerSpace, owner, ownerValue }: SharedContent,
  puts: readonly Put[],
  deletes: readonly string[] = [],
): Promise<boolean> {
  const upload = uploadOfPartKey(key);
  const keys = [
    key,
    ...(upload === undefined ? [] : [uploadKey(upload)]),
    ...(space === ownerSpace ? [owner] : []),
  ];
  return await items.transact(space, keys, (rows): Change<boolean> => {
    const [row, ...others] = rows;
    if (!row?.equals(value)) return { result: false };
    if (space === ownerSpace && !others.at(-1)?.equals(ownerValue)) return { result: false };
    const open = upload === undefined ? undefined : others[0];
    // An End that has read the parts reads them again.
    const renewed =
      open === undefined || upload === undefined ? [] : [nextRevision(upload, readRow<UploadRow>(open))];
    return {
      puts: [...puts, ...renewed],
      deletes: puts.length === 0 ? [key] : deletes,
      result: true,
    };
  });
}

function nextRevision(uploadId: string, upload: UploadRow): Put {
  return uploadRow(uploadId, { ...upload, revision: upload.revision + 1 });
}
