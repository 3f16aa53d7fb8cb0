import type { Clock } from '../../lib/clock.js';
import { nowSeconds } from '../../lib/clock.js';
import { isTextRowExpired } from '../items/expiry.js';
import type { TextBatches } from '../pages/text-batches.js';

/** Gives every item that has not expired, one per line, in the order of the keys (docs/http.md#export-items). */
export async function* exportItems(
  batches: TextBatches,
  clock: Clock,
): AsyncGenerator<Buffer, void, undefined> {
  for await (const rows of batches) {
    const now = nowSeconds(clock);
    let lines = '';
    for (const row of rows) if (!isTextRowExpired(row, now)) lines += `${row.text}\n`;
    if (lines !== '') yield Buffer.from(lines);
  }
}
