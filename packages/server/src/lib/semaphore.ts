/** Runs a piece of work when it is its turn; the first to come is the first to run. */
export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>;

/** At most `atOnce()` run at a time, which is at least one; it is asked when one comes and when one ends. */
export function createSemaphore(atOnce: () => number): Semaphore {
  const waiting: (() => void)[] = [];
  let running = 0;

  function admit(): void {
    while (waiting.length > 0 && running < atOnce()) {
      // Taken here, so that nobody who comes later takes the place.
      running++;
      waiting.shift()?.();
    }
  }

  return async (work) => {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      admit();
    });
    try {
      return await work();
    } finally {
      running--;
      admit();
    }
  };
}
