import { setTimeout as wait } from 'node:timers/promises';
import { compareUtf8 } from '../../lib/text/utf8-order.js';
import type { Operation } from '../shared/group-commit.js';
import type { SyncedDatabase } from './synced-database.js';

/** Long enough that the batches of a large delete are compacted together. */
const gatheredMs = 250;

/**
 * Makes room on a disk that has little, after deletes. LevelDB writes down that a row is gone, and removes its bytes when
 * it compacts its tables, some day. Gives the function that is called after each write.
 */
export function createDeletedRange({ room, compact }: Pick<SyncedDatabase, 'room' | 'compact'>) {
  let range: { first: string; last: string } | undefined;
  let isRunning = false;

  function add(key: string): void {
    if (range === undefined) range = { first: key, last: key };
    else if (compareUtf8(key, range.first) < 0) range.first = key;
    else if (compareUtf8(key, range.last) > 0) range.last = key;
  }

  async function run(): Promise<void> {
    isRunning = true;
    try {
      while (range !== undefined) {
        await wait(gatheredMs, undefined, { ref: false });
        const { first, last } = range;
        range = undefined;
        await compact(first, last);
        await room.look();
      }
    } catch {
      // LevelDB was closed, or the disk is too full to compact anything. The next delete tries again.
    } finally {
      isRunning = false;
    }
  }

  return (operations: readonly Operation[]): void => {
    if (!room.isShort) return;
    for (const { type, key } of operations) if (type === 'del') add(key);
    if (!isRunning) void run();
  };
}
