import type { Change, Put } from '../../engines/item-store.js';
import { BlobMissing, StorageUnavailable } from '../../engines/storage-errors.js';
import type { Store } from '../../engines/store.js';
import { type Clock, nowSeconds } from '../../lib/clock.js';
import { allSettledOrThrow } from '../../lib/concurrency/all-settled.js';
import { randomId } from '../../lib/random-id.js';
import { abandoned, badField, tooManyWrites } from '../../request-error.js';
import { driveSpace } from '../../spaces.js';
import { readChecked } from '../contents/checksums.js';
import { readRowChecked } from '../contents/content.js';
import { discard } from '../contents/garbage.js';
import type { Leases } from '../contents/leases.js';
import { blobPiece, deleteUnnamed, rowPiece, type StoredPiece } from '../contents/piece.js';
import { bytesKey, piecesOf } from '../contents/row-contents.js';
import { maxParts } from '../limits.js';
import {
  type FileRow,
  fileRow,
  isFileExpired,
  jsonRow,
  nameKey,
  type PartRow,
  type Piece,
  partKey,
  readFile,
  uploadKey,
} from '../rows.js';
import { fileOf, ownUpload, type UploadsForService } from '../uploads/uploads.js';
import { filesOf, freeOf, missingFrom } from './transfer.js';
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
export interface CopyDependencies extends Store {
  readonly clock: Clock;
  readonly leases: Leases;
  readonly uploads: UploadsForService;
  /**
   * Gives the time from which the bytes of a file that is overwritten now may be deleted, in whole seconds since 1970
   * UTC.
   */
  readonly garbageDue: () => number;
  /** Called after something became garbage. */
  readonly wakeMaintenance: () => void;
}

export type CopyFiles = (
  project: string,
  drive: string,
  body: TransferBody,
  isAbandoned: () => boolean,
) => Promise<void>;

const piecesAtOnce = 4;
/**
 * The maximum size in bytes of small pieces that wait. They are written with the row of a larger piece, or in the last
 * transaction.
 */
const maxPendingBytes = 512 * 1024;
/**
 * The maximum number of attempts to begin a copy, and of copies begun. An attempt fails if one of its files is
 * overwritten in the meantime.
 */
const maxAttempts = 10;

/** A file to be copied, and the pieces of its copy in their order. */
interface Source {
  readonly file: FileRow;
  readonly pieces: readonly Piece[];
  readonly copied: Piece[];
}

/** Copied bytes that no name refers to yet. */
interface Copied {
  readonly sources: readonly Source[];
  /** The upload that has the copied pieces as its parts; undefined if they are only in `rows`. */
  readonly uploadId: string | undefined;
  readonly rows: readonly Put[];
}

/**
 * Makes the operation of docs/http.md#copy-files. It throws its 400, 404 and 409 as a `RequestError`; then nothing is
 * changed.
 */
export function createCopyFiles(dependencies: CopyDependencies): CopyFiles {
  const { items, blobs, clock, leases, uploads, garbageDue, wakeMaintenance } = dependencies;

  /** Reads the files as they are at one moment, and leases their contents until `release` is called. */
  async function openSources(space: string, { files, overwrite }: TransferBody) {
    const names = [...new Set(files.flatMap(({ from, to }) => [from, to]))];
    const read = () =>
      items.transact(space, names.map(nameKey), (rows) => ({ result: filesOf(names, rows) }));
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const found = await read();
      const now = nowSeconds(clock);
      const opened = files.map(({ from, to }, index) => {
        const file = found.get(from);
        if (file === undefined || isFileExpired(file, now)) throw missingFrom(index);
        freeOf(found, { index, to, overwrite, now });
        return file;
      });
      const held = opened.map(({ id }) => leases.take(id));
      const release = () => {
        for (const end of held) end();
      };
      try {
        // The sweep may have missed a lease that was taken after the name was deleted. Therefore the names are read
        // again.
        const again = await read();
        if (files.every(({ from }, index) => again.get(from)?.id === opened[index]?.id)) {
          return { sources: await allSettledOrThrow(opened.map((file) => sourceOf(space, file))), release };
        }
      } catch (cause) {
        release();
        throw cause;
      }
      release();
    }
    throw tooManyWrites();
  }

  async function sourceOf(space: string, file: FileRow): Promise<Source> {
    const pieces = await piecesOf(items, space, file);
    if (pieces === undefined) throw new BlobMissing(`There is no list of the parts of ${file.id}`);
    return { file, pieces, copied: [] };
  }

  async function copyPiece(space: string, piece: Piece): Promise<StoredPiece> {
    if (bytesKey(piece) !== undefined) return rowPiece(await readRowChecked({ items, blobs }, space, piece));
    return await blobPiece({ items, blobs }, readChecked(blobs, piece));
  }

  /** Copies the bytes of all pieces, a few at a time. Resolves to the rows that are not written yet. */
  async function copyPieces(
    space: string,
    sources: readonly Source[],
    uploadId: string | undefined,
    isAbandoned: () => boolean,
  ): Promise<readonly Put[]> {
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
      if (!(await uploads.addRows(space, uploadId, ownUpload, rows))) throw dropped();
    }

    async function work(): Promise<void> {
      try {
        for (const [index, { source, piece, at }] of tasks) {
          if (hasFailed) return;
          if (isAbandoned()) throw abandoned();
          const stored = await copyPiece(space, piece);
          source.copied[at] = stored.piece;
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

  /** Gives the copies their names in one transaction. */
  async function nameCopies(
    space: string,
    { files, overwrite }: TransferBody,
    { sources, uploadId, rows }: Copied,
  ): Promise<void> {
    const names = files.map(({ to }) => to);
    const partCount = sources.reduce((sum, { pieces }) => sum + pieces.length, 0);
    const keys = [...(uploadId === undefined ? [] : [uploadKey(uploadId)]), ...names.map(nameKey)];
    await items.transact(space, keys, (read): Change<undefined> => {
      if (uploadId !== undefined && read[0] === undefined) throw dropped();
      const found = filesOf(names, uploadId === undefined ? read : read.slice(1));
      const unwritten = new Map(rows.map((row) => [row.key, row]));
      const deletes: string[] = uploadId === undefined ? [] : [uploadKey(uploadId)];
      for (let part = 1; uploadId !== undefined && part <= partCount; part++) {
        // A part's row that is not written yet is no longer needed.
        if (!unwritten.delete(partKey(uploadId, part))) deletes.push(partKey(uploadId, part));
      }
      const puts: Put[] = [...unwritten.values()];
      const due = garbageDue();
      const now = nowSeconds(clock);
      for (const [index, to] of names.entries()) {
        const replaced = discard(freeOf(found, { index, to, overwrite, now }), due);
        const { file, copied } = sources[index] as Source;
        if (isFileExpired(file, now)) throw missingFrom(index);
        const { contentType, expiresAtSeconds } = file;
        const made = fileOf(copied, randomId(), { contentType, expiresAtSeconds, modifiedMs: clock() });
        puts.push(fileRow(to, made.file), ...made.puts, ...replaced.puts);
        deletes.push(...replaced.deletes);
      }
      return { puts, deletes, result: undefined };
    });
  }

  /**
   * Whether another request overwrote or deleted one of the files since they were read. If so, the sweep of another
   * server, which does not see the leases, may have deleted their bytes.
   */
  async function haveChanged(
    space: string,
    { files }: TransferBody,
    sources: readonly Source[],
  ): Promise<boolean> {
    for (const [index, { from }] of files.entries()) {
      const now = readFile(await items.get(space, nameKey(from)));
      if (now?.id !== sources[index]?.file.id) return true;
    }
    return false;
  }

  /**
   * Resolves to false if another request changed the files so early that their bytes are gone. Then nothing is copied,
   * and the copy can begin again, with the files as they are then.
   */
  async function copyOnce(
    project: string,
    drive: string,
    body: TransferBody,
    isAbandoned: () => boolean,
  ): Promise<boolean> {
    const space = driveSpace(project, drive);
    const { sources, release } = await openSources(space, body);
    let uploadId: string | undefined;
    let endRenewals = () => {};
    try {
      const pieces = sources.flatMap((source) => source.pieces);
      if (pieces.length > maxParts) {
        throw badField(
          'files',
          'too_many',
          `have ${pieces.length} parts together, ${maxParts} may be copied at once`,
        );
      }
      const bytes = pieces.reduce((sum, piece) => sum + piece.sizeBytes, 0);
      const isSmall = bytes <= maxPendingBytes && pieces.every((piece) => bytesKey(piece) !== undefined);
      if (!isSmall) {
        uploadId = await uploads.initialize(project, drive, ownUpload);
        endRenewals = uploads.keepOpen(space, uploadId);
      }
      const rows = await copyPieces(space, sources, uploadId, isAbandoned);
      await nameCopies(space, body, { sources, uploadId, rows });
      return true;
    } catch (cause) {
      // If this fails too, maintenance drops the upload after its time to live.
      if (uploadId !== undefined) await uploads.abort(project, drive, ownUpload, uploadId).catch(() => {});
      if (cause instanceof BlobMissing && (await haveChanged(space, body, sources))) return false;
      throw cause;
    } finally {
      endRenewals();
      release();
    }
  }

  return async (project, drive, body, isAbandoned) => {
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      if (await copyOnce(project, drive, body, isAbandoned)) {
        wakeMaintenance();
        return;
      }
    }
    throw tooManyWrites();
  };
}

function dropped(): StorageUnavailable {
  return new StorageUnavailable('The copied bytes were dropped before the copy was complete');
}
