import type { Change, Put } from '../../engines/item-store.js';
import { StorageUnavailable } from '../../engines/storage-errors.js';
import { nowSeconds } from '../../lib/clock.js';
import { allSettledOrThrow } from '../../lib/concurrency/all-settled.js';
import { randomId } from '../../lib/random-id.js';
import { abandoned } from '../../request-error.js';
import { readToKeep } from '../contents/checksums.js';
import { readRowChecked } from '../contents/content.js';
import type { Leases } from '../contents/leases.js';
import { blobPiece, deleteUnnamed, rowPiece, type StoredPiece } from '../contents/piece.js';
import { bytesKey } from '../contents/row-contents.js';
import type { DriveContext } from '../context.js';
import {
  type FileRow,
  fileRow,
  isFileExpired,
  jsonRow,
  type ListedPiece,
  nameKey,
  type PartRow,
  type Piece,
  partKey,
  uploadKey,
} from '../rows.js';
import { changeFiles } from '../trash/trash-or-discard.js';
import type { Copying, ManyNames, RowPace } from '../turns.js';
import { contentOf, fileOf, keptByCopies } from '../uploads/file-of-parts.js';
import { ownUpload } from '../uploads/open-uploads.js';
import type { UploadsForService } from '../uploads/uploads.js';
import { filesOf, freeOf, missingFrom } from './move-files.js';
import type { TransferBody } from './transfer-body.js';

/**
 * A copy has bytes of its own, so a content keeps exactly one name. While bytes are copied, they are the parts of an
 * open upload without a name, so at any moment a row names them:
 *
 *   from rows, read at one moment; their contents leased
 *       │
 *   each piece ──► blob {piece}, then part/{id}/{n}         rows of small pieces go together
 *       │
 *   one transaction: name/{to} of all files; upload/{id} and part/{id}/… deleted; replaced files become garbage
 *       ▼
 *   or an error: the upload is dropped; or a crash: maintenance drops it some minutes after it was last renewed
 */
export interface CopyDependencies extends DriveContext {
  readonly leases: Leases;
  readonly uploads: UploadsForService;
  readonly copying: Copying;
  readonly manyNames: ManyNames;
  readonly rowPace: RowPace;
}

/** One call of the operation. */
export interface CopyRun extends CopyDependencies {
  readonly project: string;
  readonly drive: string;
  readonly space: string;
  readonly body: TransferBody;
  readonly isAbandoned: () => boolean;
}

/** A file to be copied, and the pieces of its copy in their order. */
export interface Source {
  readonly file: FileRow;
  readonly pieces: readonly ListedPiece[];
  readonly copied: ListedPiece[];
}

/** Copied bytes that no name refers to yet. */
export interface Copied {
  readonly sources: readonly Source[];
  /** The upload that has the copied pieces as its parts; undefined if they are only in `rows`. */
  readonly uploadId: string | undefined;
  readonly rows: readonly Put[];
}

function dropped(): StorageUnavailable {
  return new StorageUnavailable('The copied bytes were dropped before the copy was complete');
}

const piecesAtOnce = 4;
/**
 * The maximum size in bytes of small pieces that wait. They are written with the row of a larger piece, or in the last
 * transaction.
 */
export const maxPendingBytes = 512 * 1024;
/** Copies the bytes of all pieces, a few at a time. Resolves to the rows that are not written yet. */
export async function copyPieces(
  run: CopyRun,
  sources: readonly Source[],
  uploadId: string | undefined,
): Promise<readonly Put[]> {
  const { blobs, uploads, project, space, isAbandoned } = run;
  const tasks = sources
    .flatMap((source) => source.pieces.map((piece, at) => ({ source, piece, at })))
    .entries();
  let pending: Put[] = [];
  let pendingBytes = 0;
  let hasFailed = false;

  async function keep(part: number, { piece, puts }: StoredPiece): Promise<void> {
    pending.push(...puts);
    if (uploadId === undefined) return;
    pending.push(jsonRow<PartRow>(partKey(uploadId, part), piece));
    if (piece.layout === 'row') pendingBytes += piece.sizeBytes;
    if (piece.layout === 'row' && pendingBytes < maxPendingBytes) return;
    const rows = pending;
    [pending, pendingBytes] = [[], 0];
    const add = () => uploads.addRows(space, uploadId, ownUpload, rows);
    if (!(await run.manyNames(project, rows.length, add))) throw dropped();
  }

  async function work(): Promise<void> {
    try {
      for (const [index, { source, piece, at }] of tasks) {
        if (hasFailed) return;
        if (isAbandoned()) throw abandoned();
        const stored = await copyPiece(run, piece);
        source.copied[at] = { ...stored.piece, checksum: piece.checksum, continues: piece.continues };
        try {
          await keep(index + 1, stored);
        } catch (cause) {
          await deleteUnnamed(blobs, stored.piece, cause);
          throw cause;
        }
      }
    } catch (cause) {
      hasFailed = true;
      throw cause;
    }
  }

  await allSettledOrThrow(Array.from({ length: piecesAtOnce }, work));
  return pending;
}

async function copyPiece(run: CopyRun, piece: Piece): Promise<StoredPiece> {
  const { items, blobs, space, project } = run;
  if (bytesKey(piece) !== undefined) {
    await run.rowPace();
    return rowPiece(await readRowChecked({ items, blobs }, space, piece));
  }
  return await run.copying(project)(() => {
    if (run.isAbandoned()) throw abandoned();
    return blobPiece({ items, blobs }, whileWanted(run, readToKeep(blobs, piece)));
  });
}

/** A piece that S3 has put may have gigabytes. */
async function* whileWanted({ isAbandoned }: CopyRun, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    if (isAbandoned()) throw abandoned();
    yield chunk;
  }
}

/** Gives the copies their names in one transaction. */
export async function nameCopies(run: CopyRun, { sources, uploadId, rows }: Copied): Promise<void> {
  const {
    clock,
    space,
    body: { files, overwrite },
  } = run;
  const names = files.map(({ to }) => to);
  const partCount = sources.reduce((sum, { pieces }) => sum + pieces.length, 0);
  const keys = [...(uploadId === undefined ? [] : [uploadKey(uploadId)]), ...names.map(nameKey)];
  await changeFiles(run, { space, keys }, (read, trashOrDiscard): Change<undefined> => {
    if (uploadId !== undefined && read[0] === undefined) throw dropped();
    const found = filesOf(names, uploadId === undefined ? read : read.slice(1));
    const unwritten = new Map(rows.map((row) => [row.key, row]));
    const deletes: string[] = uploadId === undefined ? [] : [uploadKey(uploadId)];
    for (let part = 1; uploadId !== undefined && part <= partCount; part++) {
      // A part's row that is not written yet is no longer needed.
      if (!unwritten.delete(partKey(uploadId, part))) deletes.push(partKey(uploadId, part));
    }
    const puts: Put[] = [...unwritten.values()];
    const now = nowSeconds(clock);
    for (const [index, to] of names.entries()) {
      const replaced = trashOrDiscard(to, freeOf(found, { index, to, overwrite, now }));
      const { file, copied } = sources[index] as Source;
      if (isFileExpired(file, now)) throw missingFrom(index);
      const content = contentOf(copied, randomId());
      const made = fileOf(content, { ...keptByCopies(file), modifiedMs: clock() });
      puts.push(fileRow(to, made), ...content.puts, ...replaced.puts);
      deletes.push(...replaced.deletes);
    }
    return { puts, deletes, result: undefined };
  });
}
