import { StorageUnavailable } from '../storage-errors.js';

/** The calls of a byte engine that are under way: a store is closed when all of them are over. */
export interface InFlight {
  /** Counts a call until it is over. Rejects with `StorageUnavailable` when the store is closed. */
  track<T>(work: () => Promise<T>): Promise<T>;
  /** Lets nothing new begin, and resolves when nothing is under way. */
  close(): Promise<void>;
}

export function createInFlight(): InFlight {
  const calls = new Set<Promise<unknown>>();
  let closed = false;

  return {
    track(work) {
      if (closed) return Promise.reject(new StorageUnavailable('The blob store is closed'));
      const call = work();
      calls.add(call);
      const forget = () => calls.delete(call);
      call.then(forget, forget);
      return call;
    },
    async close() {
      closed = true;
      while (calls.size > 0) await Promise.allSettled(calls);
    },
  };
}
