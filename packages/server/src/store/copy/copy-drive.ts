import { anyGarbage } from '../../drive/contents/row-contents.js';
import { isCounterKey } from '../../drive/counted-files.js';
import { garbageKey } from '../../drive/rows.js';
import type { ScannedRow } from '../../engines/item-store.js';
import { allSettledOrThrow } from '../../lib/concurrency/all-settled.js';
import { bringBlobs } from './bring-blobs.js';
import type { CopyRun } from './copy-run.js';
import { createLateRows, type LateRows, leaveOut } from './late-rows.js';
import { merge, type Pair } from './merge.js';
import { blobsToBring, namedBytes } from './named-blobs.js';
import { hasLostName, removeLostNames } from './remove-lost-names.js';
import { isSameRow, rowBatches } from './row-batches.js';
import { type RowDigest, rowBytes } from './row-digest.js';
import { createRowWriter, type RowWriter } from './row-writer.js';
import { openSpaceSnapshot, type SpaceSnapshot } from './space-snapshot.js';
import { waitingAmong } from './waiting-blobs.js';

/**
 * Makes a drive of the destination what that of the source is at one moment, while others move, overwrite and delete
 * its files. At every moment, one row of the destination owns each of its blobs:
 *
 *   bring-blobs.ts   source, as it is now ──► the blobs of files and parts, each owned by garbage/{id}, where it waits
 *       │
 *   space-snapshot.ts
 *       │            the rows at one moment; the source keeps the bytes of what is deleted after it
 *       │
 *   remove-lost-names.ts
 *       │            deletes name/… and part/… whose content has changed; their blobs wait, too (before any change)
 *       │
 *   here             puts content/…, then name/… and all others, each with the delete of the garbage/{id} that its
 *       │            blobs waited in; at last garbage/…
 *   late-rows.ts     names whose blobs came between the first two steps: the blobs, then the names
 */
export async function copyDrive(run: CopyRun, space: string, wanted: RowDigest): Promise<void> {
  await bringBlobs(run, space);
  const release = run.holdGarbage();
  try {
    const writer = createRowWriter(run, space);
    const late = createLateRows(run, space, wanted, writer);
    const moment = await openSpaceSnapshot(run.source.items, space);
    try {
      let taken: Promise<void> | undefined;
      const take = () => {
        taken ??= removeLostNames(run, space, moment, writer);
        return taken;
      };
      for (const range of [beforeGarbage, afterGarbage, { prefix: anyGarbage }]) {
        const right = rowBatches(run.destination.items, space, range);
        for await (const pairs of merge(moment.scan(range), right)) {
          await run.betweenSteps();
          const copied = pairs.map(withoutCounter).filter((pair) => pair !== undefined);
          await putGroup({ run, space, wanted, writer, late, moment, take }, copied);
        }
        await writer.flush();
      }
    } finally {
      await moment.close();
    }
    await late.bring();
  } finally {
    release();
  }
}

/** The contents of small files and the lists of pieces come before the names that need them. */
const beforeGarbage = { lt: anyGarbage };
const afterGarbage = { gte: `${anyGarbage.slice(0, -1)}0` };

interface Work {
  readonly run: CopyRun;
  readonly space: string;
  readonly wanted: RowDigest;
  readonly writer: RowWriter;
  readonly late: LateRows;
  readonly moment: SpaceSnapshot;
  /** Takes the names of what has lost them, before the first change: most drives of a later run have none. */
  readonly take: () => Promise<void>;
}

async function putGroup(work: Work, read: readonly Pair<ScannedRow>[]): Promise<void> {
  const { run, space, wanted, writer, late } = work;
  if (!read.every(isEqual)) await work.take();
  const pairs = read.map((pair) => (hasLostName(space, pair) ? { ...pair, right: undefined } : pair));
  const { destination, removedBlobs, report, meter } = run;
  const needed = await allSettledOrThrow(pairs.map((pair) => blobsToBring(work.moment.items, space, pair)));
  const ids = needed.flatMap((pieces) => (typeof pieces === 'string' ? [] : pieces.map(({ id }) => id)));
  const waiting = await waitingAmong(destination, space, ids);
  for (const [n, { left, right }] of pairs.entries()) {
    const pieces = needed[n] ?? [];
    if (left !== undefined) meter.row();
    if (left !== undefined && right !== undefined && isSameRow(left, right)) {
      meter.passed(rowBytes(left) + namedBytes(space, left));
      wanted.add([left]);
      continue;
    }
    if (right !== undefined) removedBlobs.removed(space, right);
    if (left === undefined || typeof pieces === 'string') {
      if (left !== undefined) await leaveOut(run, space, left, String(pieces));
      if (right === undefined) continue;
      report.rowsDeleted++;
      await writer.add({ deletes: [right.key] });
      continue;
    }
    const missing = pieces.filter(({ id }) => !waiting.has(id));
    const there = pieces.flatMap(({ id }) => (waiting.has(id) ? [id] : []));
    if (missing.length > 0) {
      await late.add({ row: left, missing, waiting: there });
      continue;
    }
    wanted.add([left]);
    meter.passed(rowBytes(left));
    report.rowsPut++;
    await writer.add({ puts: [left], deletes: there.map(garbageKey) });
  }
}

/** The destination counts its files itself: names that come late, or not at all, are not of the moment of a counter. */
function withoutCounter(pair: Pair<ScannedRow>): Pair<ScannedRow> | undefined {
  const { left, right } = pair;
  if (left === undefined || !isCounterKey(left.key)) return pair;
  return right === undefined ? undefined : { left: undefined, right };
}

function isEqual({ left, right }: Pair<ScannedRow>): boolean {
  return left !== undefined && right !== undefined && isSameRow(left, right);
}
