import { setTimeout as wait } from 'node:timers/promises';
import type { ItemStore } from '../../engines/item-store.js';
import { OperatorError } from '../../operator-error.js';
import { maintenanceSpace } from '../../spaces.js';
import { rowBatches } from './row-batches.js';
import { createRowDigest } from './row-digest.js';

/** A server that leads the work in the background says so every second and a half: these are four. */
const looks = 20;
const lookEveryMs = 200;

/**
 * Throws `OperatorError` when a server runs on rows that several may share: one of them renews its lease. Rows of a
 * folder need no look, their lock tells. What a server left behind that was killed does not change.
 */
export async function refuseRunningServer(
  items: ItemStore,
  pause: (ms: number) => Promise<unknown> = wait,
): Promise<void> {
  if (!items.isShared) return;
  const first = await leaseOf(items);
  for (let look = 1; look <= looks && first.rows > 0; look++) {
    await pause(lookEveryMs);
    const now = await leaseOf(items);
    // It was released: that server has ended.
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
