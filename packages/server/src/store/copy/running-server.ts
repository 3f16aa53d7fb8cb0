import { setTimeout as wait } from 'node:timers/promises';
import type { ItemStore } from '../../engines/item-store.js';
import { OperatorError } from '../../operator-error.js';
import { maintenanceSpace } from '../../spaces.js';
import { rowBatches } from './row-batches.js';
import { createRowDigest } from './row-digest.js';

/** A server renews the leader lease every 1.5 seconds: it is read for 4 seconds. */
const polls = 20;
const pollEveryMs = 200;

/**
 * Throws `OperatorError` if a server runs on shared rows: one of the servers renews the leader lease. The lease
 * of a server that was killed does not change. Rows in a folder are locked by their process, so nothing is read.
 */
export async function refuseRunningServer(
  items: ItemStore,
  pause: (ms: number) => Promise<unknown> = wait,
): Promise<void> {
  if (!items.isShared) return;
  const first = await leaseOf(items);
  for (let poll = 1; poll <= polls && first.rows > 0; poll++) {
    await pause(pollEveryMs);
    const now = await leaseOf(items);
    // The lease was released: that server has stopped.
    if (now.rows === 0) return;
    if (now.checksum === first.checksum) continue;
    throw new OperatorError('A server runs on the destination: stop it, and run the copy again');
  }
}

async function leaseOf(items: ItemStore) {
  const digest = createRowDigest();
  for await (const rows of rowBatches(items, maintenanceSpace)) digest.add(rows);
  return digest.sum();
}
