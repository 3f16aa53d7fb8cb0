import { WrongBytes } from '../../drive/contents/checksums.js';
import { anyFile, anyPart, anyTrash } from '../../drive/contents/row-contents.js';
import type { Piece } from '../../drive/rows.js';
import { BlobMissing } from '../../engines/storage-errors.js';
import { allSettledOrThrow } from '../../lib/concurrency/all-settled.js';
import { groupsOf } from '../../lib/groups.js';
import type { CopyRun } from './copy-run.js';
import { merge } from './merge.js';
import { blobsToBring } from './named-blobs.js';
import { rowBatches } from './row-batches.js';
import { waitingAmong, waitingRow } from './waiting-blobs.js';

/** When a round has copied less than this, little is left for the moment of which the rows are copied. */
const fewBytes = 64 * 1024 * 1024;
const maxRounds = 5;
/** After every this many blobs, those that were copied are noted at the destination: a killed run reads the others again. */
const blobsAtOnce = 100;

/**
 * Copies the blobs that the files and parts of a drive name and that the destination lacks. There they wait for their
 * names. This may take hours, so it reads the rows without a snapshot, and again as long as much has been added.
 * What cannot be copied is left to those who copy the rows: they know whether a row still names it.
 */
export async function bringBlobs(run: CopyRun, space: string): Promise<void> {
  for (let round = 1; round <= maxRounds; round++) {
    const passed = round === 1 ? run.meter.passed : () => {};
    let bytes = 0;
    for (const prefix of [anyFile, anyTrash, anyPart])
      bytes += await bringRange(run, { space, prefix, passed });
    if (bytes < fewBytes) return;
  }
}

interface Range {
  readonly space: string;
  readonly prefix: string;
  /** Called with the size of a blob that is there. */
  readonly passed: (bytes: number) => void;
}

/** Gives the number of bytes that were copied. */
async function bringRange(run: CopyRun, { space, prefix, passed }: Range): Promise<number> {
  const { source, destination } = run;
  let bytes = 0;
  const left = rowBatches(source.items, space, { prefix });
  for await (const pairs of merge(left, rowBatches(destination.items, space, { prefix }))) {
    await run.betweenSteps();
    const found = await allSettledOrThrow(pairs.map((pair) => blobsToBring(source.items, space, pair)));
    const known = found.flatMap((pieces) => (typeof pieces === 'string' ? [] : pieces));
    const pieces = [...new Map(known.map((piece) => [piece.id, piece])).values()];
    for (const some of groupsOf(pieces, blobsAtOnce)) bytes += await bringSome(run, space, some, passed);
  }
  return bytes;
}

async function bringSome(
  run: CopyRun,
  space: string,
  pieces: readonly Piece[],
  passed: (bytes: number) => void,
): Promise<number> {
  const { destination, semaphore } = run;
  const ids = pieces.map(({ id }) => id);
  const waiting = await waitingAmong(destination, space, ids);
  const copied: Piece[] = [];
  await allSettledOrThrow(
    pieces.map(async (piece) => {
      const state = waiting.has(piece.id) ? 'there' : await semaphore(() => bringOrLeave(run, piece));
      if (state === 'there') passed(piece.sizeBytes);
      if (state === 'copied') copied.push(piece);
    }),
  );
  if (copied.length === 0) return 0;
  await run.beforeWrite();
  const puts = copied.map(({ id }) => waitingRow(id));
  await destination.items.transact(space, [], () => ({ puts, result: undefined }));
  return copied.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

async function bringOrLeave(run: CopyRun, piece: Piece): Promise<'copied' | 'there' | 'left'> {
  try {
    return await bringBlob(run, piece);
  } catch (cause) {
    if (cause instanceof BlobMissing || cause instanceof WrongBytes) return 'left';
    run.fail(cause);
    throw cause;
  }
}

/** Copies a blob, unless it is at the destination. Throws `BlobMissing`, `WrongBytes` if the source has it not. */
export async function bringBlob(run: CopyRun, piece: Piece): Promise<'copied' | 'there'> {
  const { copier, destination, report, meter } = run;
  run.throwIfEnded();
  if (await isPresent(run, piece)) return 'there';
  // Deletes an incomplete blob, if there is one: a blob is never overwritten.
  if (run.blobsThere === 'doubtful') await destination.blobs.delete([piece.id]);
  await copier.copy(piece);
  report.blobsCopied++;
  report.bytesCopied += piece.sizeBytes;
  meter.blob();
  return 'copied';
}

async function isPresent({ copier, blobsThere }: CopyRun, piece: Piece): Promise<boolean> {
  if (blobsThere === 'none') return false;
  return blobsThere === 'whole' ? await copier.has(piece) : (await copier.wrong(piece)) === undefined;
}
