import type { ItemStore } from '../../engines/item-store.js';
import { BlobMissing } from '../../engines/storage-errors.js';
import { nowSeconds } from '../../lib/clock.js';
import { badField, tooManyWrites } from '../../request-error.js';
import { driveSpace } from '../../spaces.js';
import { bytesKey, piecesOf } from '../contents/row-contents.js';
import { maxParts } from '../limits.js';
import { type FileRow, isFileExpired, nameKey, readFile } from '../rows.js';
import { ownUpload } from '../uploads/open-uploads.js';
import {
  type CopyDependencies,
  type CopyRun,
  copyPieces,
  maxPendingBytes,
  nameCopies,
  type Source,
} from './copy-run.js';
import { filesOf, freeOf, missingFrom } from './move-files.js';
import type { TransferBody } from './transfer-body.js';

export type CopyFiles = (
  project: string,
  drive: string,
  body: TransferBody,
  isAbandoned: () => boolean,
) => Promise<void>;

/**
 * The maximum number of attempts to begin a copy, and of copies begun. An attempt fails if one of its files is
 * overwritten in the meantime.
 */
const maxAttempts = 10;

/**
 * Makes the operation of docs/http.md#copy-files. It throws its 400, 404 and 409 as a `RequestError`; then nothing is
 * changed.
 */
export function createCopyFiles(dependencies: CopyDependencies): CopyFiles {
  return async (project, drive, body, isAbandoned) => {
    const run = { ...dependencies, project, drive, space: driveSpace(project, drive), body, isAbandoned };
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      if (await copyOnce(run)) {
        dependencies.wakeMaintenance();
        return;
      }
    }
    throw tooManyWrites();
  };
}

/**
 * Resolves to false if another request changed the files so early that their bytes are gone. Then nothing is copied,
 * and the copy can begin again, with the files as they are then.
 */
async function copyOnce(run: CopyRun): Promise<boolean> {
  const { uploads, project, drive, space } = run;
  const { sources, release } = await openSources(run);
  let uploadId: string | undefined;
  let endRenewals = () => {};
  try {
    const pieces = sources.flatMap((source) => source.pieces);
    if (pieces.length > maxParts) {
      const rule = `have ${pieces.length} parts together, ${maxParts} may be copied at once`;
      throw badField('files', 'too_many', rule);
    }
    const bytes = pieces.reduce((sum, piece) => sum + piece.sizeBytes, 0);
    const isSmall = bytes <= maxPendingBytes && pieces.every((piece) => bytesKey(piece) !== undefined);
    if (!isSmall) {
      uploadId = await uploads.initialize(project, drive, ownUpload);
      endRenewals = uploads.keepOpen(space, uploadId);
    }
    const rows = await copyPieces(run, sources, uploadId);
    await run.manyNames(project, sources.length, () => nameCopies(run, { sources, uploadId, rows }));
    return true;
  } catch (cause) {
    // If this fails too, maintenance drops the upload after its time to live.
    if (uploadId !== undefined) await uploads.abort(project, drive, ownUpload, uploadId).catch(() => {});
    if (cause instanceof BlobMissing && (await haveChanged(run, sources))) return false;
    throw cause;
  } finally {
    endRenewals();
    release();
  }
}

/** Reads the files as they are at one moment, and leases their contents until `release` is called. */
async function openSources({ items, leases, clock, space, body: { files, overwrite } }: CopyRun) {
  const names = [...new Set(files.flatMap(({ from, to }) => [from, to]))];
  const read = () => items.transact(space, names.map(nameKey), (rows) => ({ result: filesOf(names, rows) }));
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
        return { sources: await sourcesOf(items, space, opened), release };
      }
    } catch (cause) {
      release();
      throw cause;
    }
    release();
  }
  throw tooManyWrites();
}

/** One after the other, and each list of parts once: a file may be copied to many names. */
async function sourcesOf(
  items: ItemStore,
  space: string,
  files: readonly FileRow[],
): Promise<readonly Source[]> {
  const known = new Map<string, Source['pieces']>();
  const sources: Source[] = [];
  for (const file of files) {
    const pieces = known.get(file.id) ?? (await piecesOf(items, space, file));
    if (pieces === undefined) throw new BlobMissing(`There is no list of the parts of ${file.id}`);
    known.set(file.id, pieces);
    sources.push({ file, pieces, copied: [] });
  }
  return sources;
}

/**
 * Whether another request overwrote or deleted one of the files since they were read. If so, the sweep of another
 * server, which does not see the leases, may have deleted their bytes.
 */
async function haveChanged(
  { items, space, body: { files } }: CopyRun,
  sources: readonly Source[],
): Promise<boolean> {
  for (const [index, { from }] of files.entries()) {
    const now = readFile(await items.get(space, nameKey(from)));
    if (now?.id !== sources[index]?.file.id) return true;
  }
  return false;
}
