import type { Put } from '../../engines/item-store.js';
import { allSettledOrThrow } from '../../lib/concurrency/all-settled.js';
import { abandoned } from '../../request-error.js';
import { readToKeep } from '../contents/checksums.js';
import { readRowChecked } from '../contents/content.js';
import { blobPiece, deleteUnnamed, rowPiece, type StoredPiece } from '../contents/piece.js';
import { bytesKey } from '../contents/row-contents.js';
import { jsonRow, type PartRow, type Piece, partKey } from '../rows.js';
import { ownUpload } from '../uploads/open-uploads.js';
import { type CopyRun, dropped, type Source } from './copy-run.js';

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
  if (bytesKey(piece) !== undefined) return rowPiece(await readRowChecked({ items, blobs }, space, piece));
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
