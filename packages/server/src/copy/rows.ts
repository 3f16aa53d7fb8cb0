import { type Piece, uploadKey } from '../drive/rows.js';
import { BlobMissing } from '../engines/failures.js';
import type { Put, ScannedRow } from '../engines/item-store.js';
import type { BlobCopier } from './blobs.js';
import { WrongBytes } from './blobs.js';
import { createRowDigest, type RowSum, rowBytes } from './digest.js';
import { allEnded, type Limiter } from './limiter.js';
import { merge, type Pair } from './merge.js';
import { namedBlobs, namedBytes, RowUnreadable, uploadOfPart } from './named-blobs.js';
import type { Meter } from './progress.js';
import type { RemovedBlobs } from './removed-blobs.js';
import { addCopyProblem, addSpace, type CopyReport } from './report.js';
import type { Store } from './store.js';
import { readScanned, stretches } from './stretches.js';

/** One transaction of the destination takes at most so much. */
const writeRows = 500;
const writeBytes = 1024 * 1024;
/** A row that the source changes again and again is left to the next run. */
const looksAtRow = 5;

/**
 * What the blobs are that lay at the destination when this run began: there were none, so nothing is looked for
 * before it is copied; whole, as a run left them that came to its end; or doubtful, since a process that is killed may
 * leave half a blob, so that one which no row of the destination vouches for is read before it is relied on.
 */
export type Present = 'none' | 'whole' | 'doubtful';

export interface RowCopy {
  readonly source: Store;
  readonly destination: Store;
  readonly copier: BlobCopier;
  /** Bounds the blobs under way. */
  readonly limit: Limiter;
  readonly removedBlobs: RemovedBlobs;
  readonly present: Present;
  readonly report: CopyReport;
  readonly meter: Meter;
  /** Throws when the copy is to end; asked before every write. */
  readonly beforeWrite: () => Promise<void>;
  readonly goOn: () => void;
  /** The same, and lets others have their turn. */
  readonly nextStep: () => Promise<void>;
  /** What failed: everything else under way ends as well. */
  readonly fail: (cause: unknown) => void;
}

/**
 * Makes a space of the destination equal to that of the source: puts what is missing or differs, deletes what the
 * source does not have. The blobs that a row names are there before it. What was written is read again, and compared
 * by count and checksum with the rows of the source as they were read.
 */
export async function copySpace(run: RowCopy, space: string): Promise<void> {
  const { source, destination, report } = run;
  const wanted = createRowDigest();
  const before = { put: report.rowsPut, deleted: report.rowsDeleted };
  const sides = merge(stretches(source.items, space), stretches(destination.items, space));
  for await (const pairs of sides) {
    await run.nextStep();
    const rows = await allEnded(pairs.map((pair) => settle(run, space, pair)));
    wanted.add(rows.filter((row) => row !== undefined));
    await write(run, space, pairs, rows);
  }
  const rowsPut = report.rowsPut - before.put;
  const rowsDeleted = report.rowsDeleted - before.deleted;
  const sum = wanted.sum();
  // Where nothing was written, every row of the one was compared with that of the other, byte for byte.
  const there = rowsPut + rowsDeleted > 0 ? await sumOf(run, space) : sum;
  addSpace(report, { space, source: sum, destination: there, rowsPut, rowsDeleted });
}

async function sumOf({ destination, nextStep }: RowCopy, space: string): Promise<RowSum> {
  const digest = createRowDigest();
  for await (const rows of stretches(destination.items, space)) {
    await nextStep();
    digest.add(rows);
  }
  return digest.sum();
}

/** The row that the destination is to have under a key, with its blobs in place; undefined for none. */
async function settle(run: RowCopy, space: string, pair: Pair<ScannedRow>): Promise<ScannedRow | undefined> {
  const { left, right } = pair;
  const { meter } = run;
  if (left === undefined) return undefined;
  meter.row();
  if (right !== undefined && isSame(left, right)) {
    meter.passed(rowBytes(left) + namedBytes(space, left));
    return left;
  }
  try {
    const row = await withBlobs(run, space, left);
    if (row !== undefined) meter.passed(rowBytes(row));
    return row;
  } catch (cause) {
    run.fail(cause);
    throw cause;
  }
}

/**
 * "A blob that disappears under the copy because the source deleted it meanwhile is no error if its row is gone as
 * well": the row is read again. What is wrong for good is told, and the row stays out: it would name what is not there.
 */
async function withBlobs(run: RowCopy, space: string, read: ScannedRow): Promise<ScannedRow | undefined> {
  const { source, report } = run;
  let row: ScannedRow | undefined = read;
  for (let look = 1; row !== undefined && look <= looksAtRow; look++) {
    const wrong = await copyBlobs(look === 1 ? run : { ...run, present: 'doubtful' }, space, row);
    if (wrong === undefined) return row;
    const now: ScannedRow | undefined = await readScanned(source.items, space, row.key);
    const isStill: boolean = now !== undefined && isSame(now, row);
    if (isStill && !(await isLeftOver(run, space, row.key))) {
      addCopyProblem(report, { where: space, key: row.key, problem: wrong });
      return undefined;
    }
    report.rowsChangedMeanwhile++;
    row = isStill ? undefined : now;
  }
  return undefined;
}

/** What keeps the blobs of a row from being copied, or undefined. */
async function copyBlobs(run: RowCopy, space: string, row: ScannedRow): Promise<string | undefined> {
  let pieces: readonly Piece[] = [];
  try {
    pieces = await namedBlobs(run.source.items, space, row);
    await allEnded(pieces.map((piece) => run.limit(() => copyBlob(run, piece))));
    return undefined;
  } catch (cause) {
    const isOfRow =
      cause instanceof BlobMissing || cause instanceof WrongBytes || cause instanceof RowUnreadable;
    if (!isOfRow) throw cause;
    run.removedBlobs.unused(pieces.map((piece) => piece.id));
    return cause.message;
  }
}

async function copyBlob(run: RowCopy, piece: Piece): Promise<void> {
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

async function isPresent({ copier, present }: RowCopy, piece: Piece): Promise<boolean> {
  if (present === 'none') return false;
  return present === 'whole' ? await copier.has(piece) : (await copier.wrong(piece)) === undefined;
}

/** A part whose upload was ended, aborted or dropped: its bytes go before its row does. */
async function isLeftOver({ source }: RowCopy, space: string, key: string): Promise<boolean> {
  const upload = uploadOfPart(key);
  return upload !== undefined && (await source.items.get(space, uploadKey(upload))) === undefined;
}

async function write(
  run: RowCopy,
  space: string,
  pairs: readonly Pair<ScannedRow>[],
  rows: readonly (ScannedRow | undefined)[],
): Promise<void> {
  const { removedBlobs, report } = run;
  let puts: Put[] = [];
  let deletes: string[] = [];
  let bytes = 0;

  async function flush(): Promise<void> {
    if (puts.length + deletes.length === 0) return;
    await run.beforeWrite();
    const change = { puts, deletes, result: undefined };
    await run.destination.items.transact(space, [], () => change);
    report.rowsPut += puts.length;
    report.rowsDeleted += deletes.length;
    [puts, deletes, bytes] = [[], [], 0];
  }

  for (const [n, { right }] of pairs.entries()) {
    const row = rows[n];
    if (row === undefined && right === undefined) continue;
    if (row !== undefined && right !== undefined && isSame(row, right)) continue;
    if (right !== undefined) removedBlobs.removed(space, right);
    if (row === undefined && right !== undefined) deletes.push(right.key);
    if (row !== undefined) {
      puts.push(row);
      bytes += rowBytes(row);
    }
    if (puts.length + deletes.length >= writeRows || bytes >= writeBytes) await flush();
  }
  await flush();
}

function isSame(a: ScannedRow, b: ScannedRow): boolean {
  return a.dueSeconds === b.dueSeconds && a.value.equals(b.value);
}
