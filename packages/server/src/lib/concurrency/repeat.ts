/**
 * Runs the work again and again until it is stopped, each time after a pause of `pauseMs()` milliseconds. Runs do not
 * overlap. `work` must not reject. Gives a function that stops it and resolves when the run in progress has ended.
 */
export function repeat(work: () => Promise<void>, pauseMs: () => number): () => Promise<void> {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    await work();
    if (!stopped) plan();
  }

  function plan(): void {
    timer = setTimeout(() => {
      running = run();
    }, pauseMs()).unref();
  }

  plan();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await running;
  };
}
