import { OperatorError } from '../../operator-error.js';

/** The runs of an operation that takes long. */
export interface Runs {
  /**
   * Works, after the runs whose commands were killed have ended: each of them completes the step that it is at, and has
   * its destination until then. `signal` is aborted when the command of this run has ended.
   */
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

/** With `refusal`, only one run goes on at a time: others are refused with this text, an `OperatorError`. */
export function createRuns(refusal?: string): Runs {
  const running = new Set<{ readonly signal: AbortSignal; readonly ended: Promise<unknown> }>();

  return {
    async run(signal, work) {
      // That a command was killed may be the next thing that this process learns.
      if (running.size > 0) await new Promise((resolve) => setImmediate(resolve));
      for (;;) {
        const ending = [...running].filter((one) => one.signal.aborted);
        if (ending.length === 0) break;
        await Promise.all(ending.map(({ ended }) => ended));
      }
      if (refusal !== undefined && running.size > 0) throw new OperatorError(refusal);
      const result = work();
      const own = { signal, ended: result.catch(() => {}).finally(() => running.delete(own)) };
      running.add(own);
      return await result;
    },
  };
}
