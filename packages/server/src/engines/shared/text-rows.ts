import type { ScannedRow, TextRow } from '../item-store.js';

/** `scanText` of an engine that can read rows only as buffers. */
export async function* textRows(
  batches: AsyncIterable<readonly ScannedRow[]>,
): AsyncGenerator<readonly TextRow[]> {
  for await (const rows of batches) {
    yield rows.map(({ key, value }) => ({ key, text: value.toString(), bytes: value.length }));
  }
}
