import { WrongBytes } from '../../drive/checksums.js';
import { RowUnreadable } from '../../drive/row-contents.js';
import { type Piece, uploadKey, uploadOfPartKey } from '../../drive/rows.js';
import type { ScannedRow } from '../../engines/item-store.js';
import { BlobMissing } from '../../engines/storage-errors.js';
import { allSettledOrThrow } from './limiter.js';
import type { Pair } from './merge.js';
import { contentRows, namedBlobs, namedBytes, writtenMs } from './named-blobs.js';
import { addCopyProblem } from './report.js';
import { readScanned } from './row-batches.js';
import { rowBytes } from './row-digest.js';
import type { CopyRun } from './run.js';

/** A row that the source changes again and again is left to the next run. */
const looksAtRow = 5;
/** More than the clocks of servers differ that share rows. */
const clocksApartMs = 60 * 60 * 1000;

/** What becomes of one key. */
export interface Reconciled {
  /** The row that the destination is to have, with its blobs in place; undefined for none. */
  readonly row: ScannedRow | undefined;
  /** Further rows that it names and that were not there to be read before it. */
  readonly dependencies: readonly ScannedRow[];
}

const none: Reconciled = { row: undefined, dependencies: [] };

/** Brings the blobs of a row to the destination. `isInBatch` tells the keys that are being reconciled beside it. */
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
    const reconciled = await withBlobs(run, space, left, isInBatch);
    for (const row of [reconciled.row, ...reconciled.dependencies])
      if (row !== undefined) meter.passed(rowBytes(row));
    return reconciled;
  } catch (cause) {
    run.fail(cause);
    throw cause;
  }
}

/**
 * "A blob that disappears under the copy because the source deleted it meanwhile is no error if its row is gone as
 * well": the row is read again. What is wrong for good is told, and the row stays out: it would name what is not there.
 */
async function withBlobs(
  run: CopyRun,
  space: string,
  read: ScannedRow,
  isInBatch: (key: string) => boolean,
): Promise<Reconciled> {
  const { source, report } = run;
  let row: ScannedRow | undefined = read;
  for (let look = 1; row !== undefined && look <= looksAtRow; look++) {
    const found = await named(look === 1 ? run : { ...run, present: 'doubtful' }, space, row, isInBatch);
    if (typeof found !== 'string') return { row, dependencies: found };
    const now: ScannedRow | undefined = await readScanned(source.items, space, row.key);
    const isStill: boolean = now !== undefined && isSameRow(now, row);
    if (isStill && !(await isLeftOver(run, space, row.key))) {
      addCopyProblem(report, { where: space, key: row.key, problem: found });
      return none;
    }
    report.rowsChangedMeanwhile++;
    row = isStill ? undefined : now;
  }
  return none;
}

/** Brings what a row names: gives the rows to be put along with it, or what keeps it from being brought. */
async function named(
  run: CopyRun,
  space: string,
  row: ScannedRow,
  isInBatch: (key: string) => boolean,
): Promise<readonly ScannedRow[] | string> {
  let pieces: readonly Piece[] = [];
  try {
    pieces = await namedBlobs(run.source.items, space, row);
    await allSettledOrThrow(pieces.map((piece) => run.limit(() => copyBlob(run, piece))));
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
 * The bytes of a small file lie in a row that is read before its name. One that was written in between is fetched.
 * Names that are older than the run were written after their bytes were there to be read.
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
  run.goOn();
  if (await isPresent(run, piece)) {
    meter.passed(piece.sizeBytes);
    return;
  }
  // What is left of half a blob: nothing is written over.
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

/** A part whose upload was ended, aborted or dropped: its bytes go before its row does. */
async function isLeftOver({ source }: CopyRun, space: string, key: string): Promise<boolean> {
  const upload = uploadOfPartKey(key);
  return upload !== undefined && (await source.items.get(space, uploadKey(upload))) === undefined;
}

/** Whether two rows of one key hold the same. */
export function isSameRow(a: ScannedRow, b: ScannedRow): boolean {
  return a.dueSeconds === b.dueSeconds && a.value.equals(b.value);
}
