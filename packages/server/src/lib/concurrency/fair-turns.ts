import { FairQueue } from './fair-queue.js';

/** A limited number of turns. While all are taken, those who wait are admitted in turns of their owners. */
export type FairTurns = ReturnType<typeof createFairTurns>;

interface Waiting {
  isOver: boolean;
  readonly admit: () => void;
}

/** Whoever waits longer than `maxWaitMs` fails with the error that `late` gives. */
export function createFairTurns(atOnce: number, maxWaitMs: number, late: () => Error) {
  const queue = new FairQueue<Waiting>();
  let free = atOnce;

  function wait(owner: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = {
        isOver: false,
        admit() {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        waiting.isOver = true;
        reject(late());
      }, maxWaitMs);
      queue.push({ project: owner, keyId: '' }, waiting);
    });
  }

  return {
    /**
     * Takes a turn: at once if one is free, and then it gives nothing to wait for. The promise rejects if none has come in
     * time.
     */
    take(owner: string): Promise<void> | undefined {
      if (free === 0) return wait(owner);
      free--;
      return undefined;
    },
    /** Ends a turn that was taken. */
    end(): void {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        if (next.isOver) continue;
        next.admit();
        return;
      }
      free++;
    },
  };
}
