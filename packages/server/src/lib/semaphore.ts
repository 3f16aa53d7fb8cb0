/** Runs work as soon as the semaphore admits it, in the order of the calls. */
export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>;

/** At most `atOnce()` (1 or more) run at a time. `atOnce` is called again whenever work is submitted or ends. */
export function createSemaphore(atOnce: () => number): Semaphore {
  const waiting: (() => void)[] = [];
  let running = 0;

  function admit(): void {
    while (waiting.length > 0 && running < atOnce()) {
      // Counted here, so that no later caller takes the place.
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
