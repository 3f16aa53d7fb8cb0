import { garbageRow } from '../../drive/contents/garbage.js';
import { type GarbageRow, garbageKey, readRow } from '../../drive/rows.js';
import type { Put } from '../../engines/item-store.js';
import type { Store } from '../../engines/store.js';
import { groupsOf } from '../../lib/groups.js';

/**
 * A blob of the destination that is whole and whose name comes later, or has gone, belongs to a garbage row. So at every
 * moment one row owns each blob, and a run that is killed need not read its blobs again. The row goes with the
 * transaction that gives the blob its name. Those that are left at the end of a drive are deleted, as are their blobs.
 */
export function waitingRow(id: string): Put {
  return garbageRow(id, { layout: 'blob', waits: true }, dueAtOnce);
}

/** It is garbage for any server that finds it. None does: a copy that did not complete is refused. */
const dueAtOnce = 0;
const keysAtOnce = 1000;

/**
 * Which of these blobs wait for their names at the destination. The garbage of the source names blobs, too, but not ones
 * that are there.
 */
export async function waitingAmong(
  { items }: Store,
  space: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const waiting = new Set<string>();
  for (const asked of groupsOf(ids, keysAtOnce)) {
    const rows = await items.transact(space, asked.map(garbageKey), (found) => ({ result: found }));
    for (const [n, id] of asked.entries()) {
      const value = rows[n];
      if (value !== undefined && isWaiting(value)) waiting.add(id);
    }
  }
  return waiting;
}

function isWaiting(garbage: Buffer): boolean {
  try {
    return readRow<GarbageRow | null>(garbage)?.waits === true;
  } catch {
    return false;
  }
}
