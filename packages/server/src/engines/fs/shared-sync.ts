import { syncFolder } from '../../lib/folder.js';

/**
 * `syncFolder` for many callers: those that come while a sync of the folder runs share the next one. The running sync
 * may have missed their entries, so it does not count for them.
 */
export function createSharedSync(sync: (folder: string) => Promise<void> = syncFolder) {
  const running = new Map<string, Promise<void>>();
  const waiting = new Map<string, Promise<void>>();

  function begin(folder: string): Promise<void> {
    const done = sync(folder).finally(() => {
      if (running.get(folder) === done) running.delete(folder);
    });
    running.set(folder, done);
    return done;
  }

  return (folder: string): Promise<void> => {
    const next = waiting.get(folder);
    if (next !== undefined) return next;
    const current = running.get(folder);
    if (current === undefined) return begin(folder);
    const after = () => {
      waiting.delete(folder);
      return begin(folder);
    };
    // The next sync runs even if this one fails: its failure is reported to its own callers.
    const promise = current.then(after, after);
    waiting.set(folder, promise);
    return promise;
  };
}
