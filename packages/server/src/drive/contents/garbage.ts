import type { Put } from '../../engines/item-store.js';
import { type FileRow, type GarbageRow, garbageKey, jsonRow } from '../rows.js';
import { bytesKey, type ContentName } from './row-contents.js';

/**
 * Garbage is content that no name refers to any more. If its bytes are in a row, the transaction that removes the name
 * deletes them. Blobs are deleted later, by maintenance. Until then a garbage row names them, so that a crash does not
 * leave them behind.
 */

/** The changes that a transaction needs to discard a content. */
export interface Discard {
  readonly puts: readonly Put[];
  readonly deletes: readonly string[];
}

const nothing: Discard = { puts: [], deletes: [] };

/**
 * Gives the changes that discard a content. `dueSeconds` is the time from which maintenance may delete the bytes, in
 * whole seconds since 1970 UTC.
 */
export function discard(
  content: (ContentName & Pick<FileRow, 'bytes'>) | undefined,
  dueSeconds: number,
): Discard {
  if (content === undefined || content.bytes !== undefined) return nothing;
  const key = bytesKey(content);
  if (key !== undefined) return { puts: [], deletes: [key] };
  // Content that is not in a row is a blob or a list of pieces.
  const layout = content.layout as GarbageRow['layout'];
  return { puts: [garbageRow(content.id, { layout }, dueSeconds)], deletes: [] };
}

export function garbageRow(id: string, row: GarbageRow, dueSeconds: number): Put {
  return { ...jsonRow<GarbageRow>(garbageKey(id), row), dueSeconds };
}
