import type { Change } from '../../engines/item-store.js';
import { nowSeconds } from '../../lib/clock.js';
import type { Reservation } from '../../quotas/ledger.js';
import { pageTooLarge, type RequestError } from '../../request-error.js';
import {
  deleteUnnamed,
  requireFresh,
  rowPiece,
  type Source,
  type StoredPiece,
  storePiece,
} from '../contents/piece.js';
import { reserveBytes } from '../contents/reserve-quota.js';
import type { DriveContext } from '../context.js';
import { maxMarkerBytes } from '../limits.js';
import {
  etagOf,
  expiryOf,
  type FileExpiry,
  type FileHeaders,
  type FileRow,
  fileKey,
  fileRow,
  isFolder,
  liveFile,
  type Metadata,
  readFile,
} from '../rows.js';
import { changeFiles } from '../trash/trash-or-discard.js';

/** A new file: its bytes and its content type. The source of the bytes enforces their maximum number. */
export interface NewFile extends FileExpiry {
  readonly source: Source;
  readonly contentType: string;
  readonly metadata?: Metadata | undefined;
  readonly headers?: FileHeaders | undefined;
  /** What is known only when the bytes are stored: asked once, after the source has ended. */
  readonly sums?: (() => Pick<FileRow, 'md5' | 'checksum'>) | undefined;
  /** How many bytes the source will have, if the client has announced it. */
  readonly announcedBytes?: number | undefined;
  /**
   * Throws the `RequestError` of a client that may store nothing any more. Asked in the transaction that stores the file: its
   * bytes may have taken long to get to stable storage, or to be copied. Absent: the service itself stores it.
   */
  readonly requireAccess?: (() => void) | undefined;
  /** A condition on the existing file. It is checked in the transaction that replaces the file. */
  readonly condition?: FileCondition | undefined;
}

/** What a write demands of the file that it replaces: gives the refusal of one that does not meet it. */
export type FileCondition = (etag: string | undefined, file: FileRow | undefined) => RequestError | undefined;

/**
 * Stores a file and replaces any file of that name. Gives its row. Throws a 412 `RequestError` if the condition is not
 * met, and a 413 if the marker of a folder has more bytes than fit into a row.
 */
export async function putFile(
  context: DriveContext,
  space: string,
  name: string,
  file: NewFile,
): Promise<FileRow> {
  const place = { space, name };
  if (context.ledgers.of(space) === undefined) return await storeFile(context, place, file);
  const reserved = await reserveBytes(context, { space, key: fileKey(name) }, file);
  try {
    const source = reserved?.source ?? file.source;
    return await storeFile(context, place, { ...file, source }, reserved?.reservation);
  } finally {
    reserved?.reservation.end();
  }
}

async function storeFile(
  context: DriveContext,
  { space, name }: { readonly space: string; readonly name: string },
  given: NewFile,
  reservation?: Reservation,
): Promise<FileRow> {
  const { items, blobs, clock, inlineFileBytes, wakeMaintenance } = context;
  const { source, condition, requireAccess } = given;
  const key = fileKey(name);
  // The condition is checked before the body is read, so that no client sends megabytes for nothing.
  if (condition !== undefined)
    requireCondition(condition, liveFile(await items.get(space, key), nowSeconds(clock)));
  const { piece, puts, bytes, arrivedMs }: StoredPiece & Pick<FileRow, 'bytes'> = isFolder(name)
    ? await markerPiece(source)
    : await storePiece({ items, blobs, clock }, source, inlineFileBytes);
  const sums = given.sums?.();
  try {
    const { file, isGarbageMade } = await changeFiles(
      context,
      { space, keys: [key], reservation },
      ([row], trashOrDiscard): Change<{ readonly file: FileRow; readonly isGarbageMade: boolean }> => {
        requireAccess?.();
        requireFresh(arrivedMs, clock());
        const before = readFile(row);
        if (condition !== undefined) requireCondition(condition, liveFile(row, nowSeconds(clock)));
        // Member by member: copying whole objects took an upload 3 µs more.
        const file: FileRow = {
          id: piece.id,
          layout: piece.layout,
          sizeBytes: piece.sizeBytes,
          crc32: piece.crc32,
          chunkCrc32s: piece.chunkCrc32s,
          contentType: given.contentType,
          metadata: given.metadata,
          headers: given.headers,
          md5: sums?.md5,
          checksum: sums?.checksum,
          modifiedMs: clock(),
          expiresAtSeconds: expiryOf(given, nowSeconds(clock)),
          bytes,
        };
        const old = trashOrDiscard(name, before);
        return {
          puts: [fileRow(name, file), ...puts, ...old.puts],
          deletes: old.deletes,
          result: { file, isGarbageMade: old.puts.length > 0 },
        };
      },
    );
    if (isGarbageMade) wakeMaintenance();
    return file;
  } catch (cause) {
    // After most errors the row may have been written.
    await deleteUnnamed(blobs, piece, cause);
    throw cause;
  }
}

/** The marker of a folder: its bytes, few or none, are in its own row. */
async function markerPiece(source: Source): Promise<StoredPiece & { readonly bytes: string }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of Buffer.isBuffer(source) ? [source] : source) {
    size += chunk.length;
    if (size > maxMarkerBytes) throw pageTooLarge();
    chunks.push(Buffer.from(chunk));
  }
  const bytes = Buffer.concat(chunks);
  return { piece: rowPiece(bytes).piece, puts: [], bytes: bytes.toString('base64') };
}

/** Throws a 412 `RequestError` if the condition is not met for this file. */
export function requireCondition(condition: FileCondition, file: FileRow | undefined): void {
  const unmet = condition(file && etagOf(file), file);
  if (unmet !== undefined) throw unmet;
}
