import { syncFolder } from '../../lib/folder.js';

/**
 * `syncFolder`, shared: who asks while a sync runs gets the next one, together with all others who ask
 * meanwhile. One that has begun already may have missed the caller's entry and does not count for it.
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
    // Whether the one before succeeded is its callers' matter.
    const promise = current.then(after, after);
    waiting.set(folder, promise);
    return promise;
  };
}
