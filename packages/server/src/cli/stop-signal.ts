import { OperatorError } from '../operator-error.js';

/**
 * A terminal sends Ctrl-C to the whole process group, and npm also forwards the signal: a second signal within this
 * time counts as the same one.
 */
const sameSignalMs = 300;

export type StopSignal = 'SIGTERM' | 'SIGINT';

const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

/** A command that was asked to stop before its end, with what to do next. */
export class Interrupted extends OperatorError {
  readonly exitCode: number;

  constructor(signal: StopSignal, advice: string) {
    super(`Interrupted: ${advice}`);
    this.exitCode = exitCodes[signal];
  }
}

/** Resolves when the process is asked to stop. From then on a second signal ends it at once. */
export function nextSignal(): Promise<StopSignal> {
  return new Promise((resolve) => {
    let firstMs: number | undefined;
    const onSignal = (signal: StopSignal) => {
      const now = performance.now();
      firstMs ??= now;
      if (now - firstMs > sameSignalMs) process.exit(exitCodes[signal]);
      resolve(signal);
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}

/**
 * Does work that may end at any moment, since what it has stored then is never taken for the whole. When the process is
 * asked to stop, throws `Interrupted` at once: the work goes on until the process ends.
 */
export async function unlessStopped<T>(advice: string, work: () => Promise<T>): Promise<T> {
  const stopped = nextSignal().then((signal): never => {
    throw new Interrupted(signal, advice);
  });
  return await Promise.race([stopped, work()]);
}

/** Does work that ends with its `AbortSignal` when the process is asked to stop. Then throws `Interrupted`. */
export async function untilStopped<T>(advice: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let stoppedBy: StopSignal | undefined;
  void nextSignal().then((signal) => {
    stoppedBy = signal;
    controller.abort();
  });
  try {
    return await work(controller.signal);
  } catch (cause) {
    if (stoppedBy === undefined) throw cause;
    throw new Interrupted(stoppedBy, advice);
  }
}
