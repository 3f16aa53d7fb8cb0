import type { ReadCost } from './matches-of.js';

/** The header value that says what a query has read, and how long it took (docs/http.md#ordered-queries). */
export function serverTiming({ items, bytes, index, building }: ReadCost, startedMs: number): string {
  const spentMs = (performance.now() - startedMs).toFixed(1);
  // A header has only ASCII characters. No index has the name `none`.
  const used = index === undefined ? 'none' : encodeURIComponent(index);
  const waiting = building === undefined ? '' : `, building;desc="${encodeURIComponent(building)}"`;
  return `read;dur=${spentMs};desc="${items} items, ${bytes} bytes", index;desc="${used}"${waiting}`;
}
