import { WrongBytes } from '../../drive/contents/checksums.js';
import { garbageKey, type Piece } from '../../drive/rows.js';
import type { ScannedRow } from '../../engines/item-store.js';
import { BlobMissing } from '../../engines/storage-errors.js';
import { allSettledOrThrow } from '../../lib/concurrency/all-settled.js';
import { groupsOf } from '../../lib/groups.js';
import { addProblem } from '../problems.js';
import { bringBlob } from './bring-blobs.js';
import type { CopyRun } from './copy-run.js';
import { isSameRow, readScanned } from './row-batches.js';
import { type RowDigest, rowBytes } from './row-digest.js';
import type { RowWriter } from './row-writer.js';

/** A row of the moment, some of whose blobs were not at the destination. */
export interface LateRow {
  readonly row: ScannedRow;
  readonly missing: readonly Piece[];
  /** The ids of the others, which wait for it. */
  readonly waiting: readonly string[];
}

export type LateRows = ReturnType<typeof createLateRows>;

/**
 * The number of rows that are kept in memory, so that a database need not hold the snapshot open while blobs are
 * copied.
 */
const maxKept = 10_000;
const rowsAtOnce = 50;

export function createLateRows(run: CopyRun, space: string, wanted: RowDigest, writer: RowWriter) {
  // What this run has copied is whole. A source whose files share a content names it a second time.
  const given: CopyRun = run.blobsThere === 'none' ? { ...run, blobsThere: 'whole' } : run;
  let kept: LateRow[] = [];

  /** Copies their blobs and puts them. */
  async function bring(): Promise<void> {
    const rows = kept;
    kept = [];
    for (const some of groupsOf(rows, rowsAtOnce)) {
      await run.betweenSteps();
      const problems = await allSettledOrThrow(some.map((late) => bringMissing(given, late)));
      for (const [n, late] of some.entries()) {
        const problem = problems[n];
        if (problem === undefined) await put(late);
        else await leaveOut(run, space, late.row, problem);
      }
      await writer.flush();
    }
  }

  async function put({ row, waiting }: LateRow): Promise<void> {
    wanted.add([row]);
    run.meter.passed(rowBytes(row));
    run.report.rowsPut++;
    await writer.add({ puts: [row], deletes: waiting.map(garbageKey) });
  }

  return {
    async add(late: LateRow): Promise<void> {
      kept.push(late);
      if (kept.length === maxKept) await bring();
    },
    bring,
  };
}

/** What is wrong with the blobs of a row, or undefined. */
async function bringMissing(run: CopyRun, { missing }: LateRow): Promise<string | undefined> {
  try {
    await allSettledOrThrow(missing.map((piece) => run.semaphore(() => bringBlob(run, piece))));
    return undefined;
  } catch (cause) {
    if (cause instanceof BlobMissing || cause instanceof WrongBytes) {
      run.removedBlobs.unused(missing.map(({ id }) => id));
      return cause.message;
    }
    run.fail(cause);
    throw cause;
  }
}

/**
 * A row whose content cannot be copied is not put. That is a problem if the source still has the row; otherwise its
 * bytes were deleted after the moment.
 */
export async function leaveOut(
  { source, report }: CopyRun,
  space: string,
  row: ScannedRow,
  problem: string,
): Promise<void> {
  const now = await readScanned(source.items, space, row.key);
  if (now !== undefined && isSameRow(now, row)) addProblem(report, space, row.key, problem);
  else report.rowsChangedMeanwhile++;
}
