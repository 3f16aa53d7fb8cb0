import { StorageUnavailable } from '../storage-errors.js';

/**
 * The calls of an engine that are in progress: the store releases its storage when all of them have ended. `storeName`
 * names the store in the error of calls after `close`: `row store`.
 */
export function createInFlight(storeName: string) {
  const calls = new Set<Promise<unknown>>();
  let closed = false;

  return {
    /** Starts a call, and counts it until it ends. Rejects with `StorageUnavailable` after `close`. */
    track<T>(work: () => Promise<T>): Promise<T> {
      if (closed) return Promise.reject(new StorageUnavailable(`The ${storeName} is closed`));
      const call = work();
      calls.add(call);
      const forget = () => calls.delete(call);
      call.then(forget, forget);
      return call;
    },
    /** Refuses further calls, and resolves when none is in progress. */
    async close(): Promise<void> {
      closed = true;
      while (calls.size > 0) await Promise.allSettled(calls);
    },
  };
}
