/** Runs at most so many pieces of work at a time, in the order they came. */
export type Limiter = <T>(work: () => Promise<T>) => Promise<T>;

export function createLimiter(atOnce: number): Limiter {
  const waiting: (() => void)[] = [];
  let free = atOnce;
  return async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      // The place goes from hand to hand, so that nobody comes between.
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
}

/** Like `Promise.all`, but it fails only when all have ended: nothing goes on behind its back. */
export async function allSettledOrThrow<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  for (const result of await Promise.allSettled(promises)) {
    if (result.status === 'rejected') throw result.reason;
  }
  return await Promise.all(promises);
}
