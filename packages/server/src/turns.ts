/** Runs a piece of work when fewer than a number of them are running; the first to come is the first to run. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T>;

export function createTurns(atOnce: number): Turns {
  const waiting: (() => void)[] = [];
  let running = 0;

  return async (work) => {
    // Who ends hands its place over, so that nobody who comes later takes it.
    if (running === atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
