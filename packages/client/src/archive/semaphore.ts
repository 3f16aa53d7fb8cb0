/** Runs work as soon as the semaphore admits it, in the order of the calls. */
export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>;

/** At most `atOnce` (1 or more) run at a time. */
export function createSemaphore(atOnce: number): Semaphore {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < atOnce) running++;
    // Whoever ends hands the place over, so that no later caller takes it.
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
