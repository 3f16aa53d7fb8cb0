import type { TextRow } from '../../engines/item-store.js';
import type { Clock } from '../../lib/clock.js';
import { nowSeconds } from '../../lib/clock.js';
import type { Schedule } from '../../lib/concurrency/scheduled.js';
import { isTextRowExpired } from '../items/expiry.js';
import { type TextRange, textBatches } from '../pages/text-batches.js';

/** Gives every item that has not expired, one per line, in the order of the keys (docs/http.md#export-items). */
export async function* exportItems(
  range: TextRange,
  schedule: Schedule,
  clock: Clock,
): AsyncGenerator<Buffer, void, undefined> {
  const linesOf = (rows: readonly TextRow[]) => {
    const now = nowSeconds(clock);
    let lines = '';
    for (const row of rows) if (!isTextRowExpired(row, now)) lines += `${row.text}\n`;
    return Buffer.from(lines);
  };
  const batches = textBatches(range, schedule, linesOf, { isAhead: true });
  for await (const lines of batches) if (lines.length > 0) yield lines;
}
