/**
 * Runs the work again and again until it is stopped, each time after a pause of `pauseMs()` milliseconds. The first run begins
 * after `firstMs`, at once if that is 0. Runs do not overlap. `work` must not reject. Gives a function that stops it and
 * resolves when the run in progress has ended.
 */
export function repeat(
  work: () => Promise<void>,
  pauseMs: () => number,
  firstMs = pauseMs(),
): () => Promise<void> {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    await work();
    if (!stopped) plan(pauseMs());
  }

  function plan(ms: number): void {
    timer = setTimeout(() => {
      running = run();
    }, ms).unref();
  }

  if (firstMs === 0) running = run();
  else plan(firstMs);
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await running;
  };
}
