/**
 * Makes a function that does the work for all who call it in the meantime: at most one run is in progress, and calls that
 * come during a run share the next one. So each call gets the result of a run that began after it, as if it had one of
 * its own.
 */
export function shareRuns<T>(work: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> | undefined;
  let next: Promise<T> | undefined;

  function start(): Promise<T> {
    next = undefined;
    const run = work();
    const settled = run.then(done, done);
    last = settled;
    function done(): void {
      if (last === settled) last = undefined;
    }
    return run;
  }

  return () => {
    if (last === undefined) return start();
    next ??= last.then(start);
    return next;
  };
}
