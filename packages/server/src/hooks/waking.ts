import { setTimeout as sleep } from 'node:timers/promises';

/** The pauses of work that somebody may wake or stop. */
export interface Waking {
  /** From here on, only what wakes it afterwards counts. */
  begin(): void;
  /** Ends the pause in progress, and all others until the next beginning. */
  wake(): void;
  /** The same for good. */
  stop(): void;
  isStopped(): boolean;
  /** Whether it was stopped, or woken since the beginning. */
  isOver(): boolean;
  pause(ms: number): Promise<void>;
}

export function createWaking(): Waking {
  let woken = new AbortController();
  let isStopped = false;
  const isOver = () => isStopped || woken.signal.aborted;
  return {
    begin() {
      woken = new AbortController();
    },
    wake: () => woken.abort(),
    stop() {
      isStopped = true;
      woken.abort();
    },
    isStopped: () => isStopped,
    isOver,
    async pause(ms) {
      if (ms > 0 && !isOver())
        await sleep(ms, undefined, { signal: woken.signal, ref: false }).catch(() => {});
    },
  };
}
