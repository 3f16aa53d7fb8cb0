import type { CallOptions } from './endpoint.js';
import { BasedriveError } from './error.js';

/** The end of a call that comes from outside: its signal, or its time. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Why the call has to end; nothing while it may go on. */
  error(): BasedriveError | undefined;
  /** Only the signal still ends the call: its time no longer counts. */
  stopClock(): void;
  close(): void;
}

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
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(
          () => end(new BasedriveError('timeout', `The call took longer than ${timeoutMs} ms`)),
          timeoutMs,
        );
  const stopClock = () => clearTimeout(timer);
  return {
    signal: controller.signal,
    error: () => error,
    stopClock,
    close() {
      stopClock();
      signal?.removeEventListener('abort', onAbort);
    },
  };
}

/** Waits, or rejects when the deadline comes first. */
export function pause(milliseconds: number, deadline: Deadline): Promise<void> {
  return new Promise((resolve, reject) => {
    const { signal } = deadline;
    const onAbort = () => {
      clearTimeout(timer);
      reject(deadline.error());
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, milliseconds);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}
