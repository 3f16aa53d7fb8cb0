import type { CallOptions } from './endpoint.js';
import { BasedriveError } from './error.js';

/** The end of a call that comes from outside: its signal, or its time. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Why the call has to end; nothing while it may go on. */
  error(): BasedriveError | undefined;
  /** Ends the call from within. */
  end(reason: BasedriveError): void;
  /** Only the signal still ends the call: its time no longer counts. */
  stopClock(): void;
  close(): void;
}

const maxTimerMs = 2 ** 31 - 1;

export function openDeadline({ signal, timeoutMs }: CallOptions): Deadline {
  const controller = new AbortController();
  let error: BasedriveError | undefined;
  const end = (reason: BasedriveError) => {
    error ??= reason;
    controller.abort(reason);
  };
  const onAbort = () => {
    const cause: unknown = signal?.reason;
    // A call within a call ends for the reason that the outer one ends for.
    end(
      cause instanceof BasedriveError
        ? cause
        : new BasedriveError('aborted', 'The call was aborted', { cause }),
    );
  };
  if (signal?.aborted) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });
  // What a timer cannot count is no limit: `Infinity`, say.
  const timer =
    timeoutMs === undefined || timeoutMs > maxTimerMs
      ? undefined
      : setTimeout(
          () => end(new BasedriveError('timeout', `The call took longer than ${timeoutMs} ms`)),
          timeoutMs,
        );
  const stopClock = () => clearTimeout(timer);
  return {
    signal: controller.signal,
    error: () => error,
    end,
    stopClock,
    close() {
      stopClock();
      signal?.removeEventListener('abort', onAbort);
    },
  };
}

/** Waits, or rejects when the deadline comes first. */
export async function pause(milliseconds: number, deadline: Deadline): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const waited = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  try {
    await untilEnded(waited, deadline);
  } finally {
    clearTimeout(timer);
  }
}

/** What is promised, or the error of the deadline when that comes first. */
export function untilEnded<T>(promised: Promise<T>, deadline: Deadline): Promise<T> {
  const { signal } = deadline;
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(deadline.error());
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    promised.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
