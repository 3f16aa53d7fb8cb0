import { shareRuns } from '../../lib/concurrency/share-runs.js';
import { syncFolder } from '../../lib/folder.js';

/**
 * `syncFolder` for many callers: those that come while a sync of the folder runs share the next one. The running sync
 * may have missed their entries, so it does not count for them. It remembers each folder, of which a store has few.
 */
export function createSharedSync(sync: (folder: string) => Promise<void> = syncFolder) {
  const syncs = new Map<string, () => Promise<void>>();
  return (folder: string): Promise<void> => {
    const shared = syncs.get(folder) ?? shareRuns(() => sync(folder));
    syncs.set(folder, shared);
    return shared();
  };
}
