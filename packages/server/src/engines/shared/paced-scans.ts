import { scheduled } from '../../lib/concurrency/scheduled.js';
import { createFairSemaphores } from '../../lib/concurrency/semaphore.js';
import type { ItemStore } from '../item-store.js';
import { ownerOf } from './space-owner.js';

/** While one batch is read, another can become rows on the event loop. */
const batchesAtOnce = 2;

/**
 * An item store whose scans read their batches in turns of their owners, a few at a time. The event loop makes rows of
 * each batch, which takes about a millisecond. Without turns, it did so for 64 clients that list files before it looked
 * for other events: a get beside them took 63 ms, and a new connection up to 0.7 s, because Node accepts one at each look.
 *
 * Where a scan holds a connection, readers take turns already (`withTurns`). There, a scan that waits for its next batch
 * with a connection could wait for one that has the turn and waits for a connection: such a store is given as it is.
 */
export function withPacedScans(items: ItemStore): ItemStore {
  if (items.momentsAtOnce !== undefined) return items;
  const turnOf = createFairSemaphores(() => batchesAtOnce);
  return {
    ...items,
    scan: (space, range) => scheduled(items.scan(space, range), turnOf(ownerOf(space))),
    scanText: (space, range) => scheduled(items.scanText(space, range), turnOf(ownerOf(space))),
  };
}
