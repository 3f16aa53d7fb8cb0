import { anyFile, anyPart, anyTrash } from '../../drive/contents/row-contents.js';
import type { Row, ScannedRow } from '../../engines/item-store.js';
import type { CopyRun } from './copy-run.js';
import { merge, type Pair } from './merge.js';
import { isSameContent, neededOrProblem } from './named-blobs.js';
import { isSameRow, rowBatches } from './row-batches.js';
import type { RowWriter } from './row-writer.js';
import type { SpaceSnapshot } from './space-snapshot.js';
import { waitingRow } from './waiting-blobs.js';

/** The rows that own a content. */
const owners = [anyFile, anyPart, anyTrash];

/** Whether a file, in the trash or not, or a part of the destination has another content at the source, or none. */
export function hasLostName(space: string, { left, right }: Pair<ScannedRow>): boolean {
  if (right === undefined || !owners.some((prefix) => right.key.startsWith(prefix))) return false;
  return left === undefined || !(isSameRow(left, right) || isSameContent(space, left, right));
}

/**
 * Deletes the files and parts of the destination that have lost their names. This comes before any other change, so no
 * content ever has two names. The blobs wait: perhaps another name has them now.
 */
export async function removeLostNames(
  run: CopyRun,
  space: string,
  moment: SpaceSnapshot,
  writer: RowWriter,
): Promise<void> {
  const { destination, removedBlobs, report } = run;
  for (const prefix of owners) {
    if (!(await hasRows(destination.items.scan(space, { prefix, limit: 1 })))) continue;
    for await (const pairs of merge(
      moment.scan({ prefix }),
      rowBatches(destination.items, space, { prefix }),
    )) {
      await run.betweenSteps();
      for (const { left, right } of pairs) {
        if (right === undefined || !hasLostName(space, { left, right })) continue;
        const found = await neededOrProblem(destination.items, space, right);
        // A row that cannot be read names nothing.
        const blobs = typeof found === 'string' ? [] : found;
        removedBlobs.removed(space, right);
        if (left === undefined) report.rowsDeleted++;
        await writer.add({ deletes: [right.key], puts: blobs.map(({ id }) => waitingRow(id)) });
      }
    }
  }
  await writer.flush();
}

async function hasRows(batches: AsyncIterable<readonly Row[]>): Promise<boolean> {
  for await (const rows of batches) if (rows.length > 0) return true;
  return false;
}
