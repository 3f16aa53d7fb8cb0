import type { Put } from '../engines/item-store.js';
import { contentKey, type GarbageRow, garbageKey, jsonRow, type Layout } from './rows.js';

/** What a transaction adds to take a content away. */
export interface Discard {
  readonly puts: readonly Put[];
  readonly deletes: readonly string[];
}

const nothing: Discard = { puts: [], deletes: [] };

/**
 * Bytes in a row go with the transaction. Blobs go after it ("take the row away, then the blob"): until then a
 * row of garbage names them, so that no crash forgets them.
 */
export function discard(
  content: { readonly id: string; readonly layout: Layout } | undefined,
  dueSeconds: number,
): Discard {
  if (content === undefined) return nothing;
  const { id, layout } = content;
  if (layout === 'row') return { puts: [], deletes: [contentKey(id)] };
  return { puts: [garbageRow(id, { layout }, dueSeconds)], deletes: [] };
}

export function garbageRow(id: string, row: GarbageRow, dueSeconds: number): Put {
  return { ...jsonRow<GarbageRow>(garbageKey(id), row), dueSeconds };
}
