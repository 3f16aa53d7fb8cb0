import { WrongBytes } from '../../drive/checksums.js';
import { isOfClosedUpload, RowUnreadable } from '../../drive/row-contents.js';
import type { Piece } from '../../drive/rows.js';
import type { ScannedRow } from '../../engines/item-store.js';
import { BlobMissing } from '../../engines/storage-errors.js';
import { allSettledOrThrow } from '../../lib/all-settled.js';
import { addProblem } from '../problems.js';
import type { CopyRun } from './copy-run.js';
import type { Pair } from './merge.js';
import { contentRows, namedBlobs, namedBytes, writtenMs } from './named-blobs.js';
import { readScanned } from './row-batches.js';
import { rowBytes } from './row-digest.js';

/** How often a row that changes at the source during the copy is read, before it is left to the next run. */
const maxReads = 5;
/** Greater than any difference between the clocks of servers that share rows. */
const clocksApartMs = 60 * 60 * 1000;

/** The result for one key. */
export interface Reconciled {
  /** The row that the destination must have; its blobs are already there. Undefined if it must have none. */
  readonly row: ScannedRow | undefined;
  /** Further rows that it names and that were not there to be read before it. */
  readonly dependencies: readonly ScannedRow[];
}

const none: Reconciled = { row: undefined, dependencies: [] };

/** Copies the blobs of a row to the destination. `isInBatch`: whether a key is reconciled in the same batch. */
export async function reconcile(
  run: CopyRun,
  space: string,
  { left, right }: Pair<ScannedRow>,
  isInBatch: (key: string) => boolean,
): Promise<Reconciled> {
  const { meter } = run;
  if (left === undefined) return none;
  meter.row();
  if (right !== undefined && isSameRow(left, right)) {
    meter.passed(rowBytes(left) + namedBytes(space, left));
    return { row: left, dependencies: [] };
  }
  try {
    const reconciled = await reconcileRow(run, space, left, isInBatch);
    for (const row of [reconciled.row, ...reconciled.dependencies])
      if (row !== undefined) meter.passed(rowBytes(row));
    return reconciled;
  } catch (cause) {
    run.fail(cause);
    throw cause;
  }
}

/**
 * If a blob is missing at the source, its row is read again. If the row is missing too, the source has deleted both. If
 * the row is unchanged, that is a problem, and the row is not copied, because it would name a missing blob.
 */
async function reconcileRow(
  run: CopyRun,
  space: string,
  read: ScannedRow,
  isInBatch: (key: string) => boolean,
): Promise<Reconciled> {
  const { source, report } = run;
  let row: ScannedRow | undefined = read;
  for (let reads = 1; row !== undefined && reads <= maxReads; reads++) {
    const found = await bringContent(
      reads === 1 ? run : { ...run, present: 'doubtful' },
      space,
      row,
      isInBatch,
    );
    if (typeof found !== 'string') return { row, dependencies: found };
    const now: ScannedRow | undefined = await readScanned(source.items, space, row.key);
    const isStill: boolean = now !== undefined && isSameRow(now, row);
    if (isStill && !(await isOfClosedUpload(source.items, space, row.key))) {
      addProblem(report, { where: space, key: row.key, problem: found });
      return none;
    }
    report.rowsChangedMeanwhile++;
    row = isStill ? undefined : now;
  }
  return none;
}

/** Copies what a row names: gives the rows that must be put with it, or the problem that prevents the copy. */
async function bringContent(
  run: CopyRun,
  space: string,
  row: ScannedRow,
  isInBatch: (key: string) => boolean,
): Promise<readonly ScannedRow[] | string> {
  let pieces: readonly Piece[] = [];
  try {
    pieces = await namedBlobs(run.source.items, space, row);
    await allSettledOrThrow(pieces.map((piece) => run.semaphore(() => copyBlob(run, piece))));
    return await dependenciesOf(run, space, row, isInBatch);
  } catch (cause) {
    const isOfRow =
      cause instanceof BlobMissing || cause instanceof WrongBytes || cause instanceof RowUnreadable;
    if (!isOfRow) throw cause;
    run.removedBlobs.unused(pieces.map((piece) => piece.id));
    return cause.message;
  }
}

/**
 * The bytes of a small file are in a row that precedes its name in key order. If that row was written after the run had
 * passed its key, it is read now. A name that is older than the run needs no such check.
 */
async function dependenciesOf(
  { source, destination, beganMs }: CopyRun,
  space: string,
  row: ScannedRow,
  isInBatch: (key: string) => boolean,
): Promise<readonly ScannedRow[]> {
  if (writtenMs(space, row) < beganMs - clocksApartMs) return [];
  const dependencies: ScannedRow[] = [];
  for (const key of await contentRows(source.items, space, row)) {
    if (isInBatch(key) || (await destination.items.get(space, key)) !== undefined) continue;
    const content = await readScanned(source.items, space, key);
    if (content === undefined) throw new BlobMissing(`its bytes, ${key}, are missing`);
    dependencies.push(content);
  }
  return dependencies;
}

async function copyBlob(run: CopyRun, piece: Piece): Promise<void> {
  const { copier, destination, report, meter } = run;
  run.throwIfEnded();
  if (await isPresent(run, piece)) {
    meter.passed(piece.sizeBytes);
    return;
  }
  // Deletes an incomplete blob, if there is one: a blob is never overwritten.
  if (run.present === 'doubtful') await destination.blobs.delete([piece.id]);
  await copier.copy(piece);
  report.blobsCopied++;
  report.bytesCopied += piece.sizeBytes;
  meter.blob();
}

async function isPresent({ copier, present }: CopyRun, piece: Piece): Promise<boolean> {
  if (present === 'none') return false;
  return present === 'whole' ? await copier.has(piece) : (await copier.wrong(piece)) === undefined;
}

/** Whether two rows with the same key are equal. */
export function isSameRow(a: ScannedRow, b: ScannedRow): boolean {
  return a.dueSeconds === b.dueSeconds && a.value.equals(b.value);
}
