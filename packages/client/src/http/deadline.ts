import type { CallOptions } from './endpoint.js';
import { BasedriveError, invalid } from './error.js';
import type { Ending } from './text-exchange.js';

/** The time or the signal at which a call must end. */
export interface Deadline extends Ending {
  /** Gives why the call must end, or undefined while it may continue. */
  error(): BasedriveError | undefined;
  /** Ends the call before its deadline, with this error. */
  end(reason: BasedriveError): void;
  /** Removes the time limit. The signal can still end the call. */
  stopClock(): void;
  close(): void;
}

const maxTimerMs = 2 ** 31 - 1;
const longestPauseMs = 30_000;
const firstPauseMs = 250;

/**
 * The deadline of a call that begins now: it comes when the signal is aborted, or after `timeoutMs` milliseconds, with code
 * `timeout`. The caller must call `close` when the call has ended.
 */
export function openDeadline({ signal, timeoutMs }: CallOptions): Deadline {
  let controller: AbortController | undefined;
  let listener: ((reason: unknown) => void) | undefined;
  let error: BasedriveError | undefined;
  const end = (reason: BasedriveError) => {
    if (error !== undefined) return;
    error = reason;
    controller?.abort(reason);
    listener?.(reason);
  };
  const onAbort = () => end(abortError(signal?.reason));
  if (signal?.aborted) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });
  // A time that no timer can count, such as `Infinity`, is no limit.
  const timer =
    timeoutMs === undefined || timeoutMs > maxTimerMs
      ? undefined
      : setTimeout(
          () => end(new BasedriveError('timeout', `The call took longer than ${timeoutMs} ms`)),
          timeoutMs,
        );
  const stopClock = () => clearTimeout(timer);
  return {
    get signal() {
      if (controller === undefined) {
        controller = new AbortController();
        if (error !== undefined) controller.abort(error);
      }
      return controller.signal;
    },
    onEnd(given) {
      listener = given;
      if (error !== undefined) given(error);
    },
    error: () => error,
    end,
    stopClock,
    close() {
      stopClock();
      signal?.removeEventListener('abort', onAbort);
    },
  };
}

function abortError(reason: unknown): BasedriveError {
  // An inner call ends for the same reason as the call that made it.
  if (reason instanceof BasedriveError) return reason;
  const { name, message } = (reason ?? {}) as { name?: unknown; message?: unknown };
  return name === 'TimeoutError'
    ? new BasedriveError('timeout', String(message), { cause: reason })
    : new BasedriveError('aborted', 'The call was aborted', { cause: reason });
}

/** Ends a request `graceMs` milliseconds after the deadline. The caller must call `close` when it has ended. */
export function extendDeadline(deadline: Deadline, graceMs: number): Ending & { close(): void } {
  const controller = new AbortController();
  let listener: ((reason: unknown) => void) | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = () => {
    controller.abort(deadline.error());
    listener?.(deadline.error());
  };
  const onAbort = () => {
    timer = setTimeout(end, graceMs);
  };
  if (deadline.signal.aborted) onAbort();
  else deadline.signal.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    onEnd(given) {
      listener = given;
      if (controller.signal.aborted) given(controller.signal.reason);
    },
    close() {
      clearTimeout(timer);
      deadline.signal.removeEventListener('abort', onAbort);
    },
  };
}

/** Waits for this time. Rejects if the deadline comes first. */
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

/** The same before a stream begins again after so many failures: at random, so that clients do not return together. */
export async function pauseAfter(failures: number, deadline: Deadline): Promise<void> {
  await pause(Math.random() * Math.min(longestPauseMs, firstPauseMs * 2 ** failures), deadline);
}

/** Settles as the promise does. Rejects with the error of the deadline if that comes first. */
export function untilEnded<T>(promise: Promise<T>, deadline: Deadline): Promise<T> {
  const { signal } = deadline;
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(deadline.error());
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/**
 * The items of a source that may give nothing for a long time: the iteration throws the error of the deadline if that comes
 * first. The source is then told to close, and not waited for. The deadline must have no other listener.
 */
export function eachUntilEnded<T>(
  items: Iterable<T> | AsyncIterable<T>,
  deadline: Deadline,
): Iterable<T> | AsyncIterable<T> {
  // A text, too, is iterable.
  const object = Object(items);
  if (!(Symbol.asyncIterator in object)) {
    if (!(Symbol.iterator in object)) throw invalid('Items must be a list');
    return items;
  }
  const iterator = (items as AsyncIterable<T>)[Symbol.asyncIterator]();
  const close = async () => ({ done: true as const, value: void (await iterator.return?.()) });
  deadline.onEnd(() => void close().catch(() => {}));
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => untilEnded(iterator.next(), deadline),
      return: close,
    }),
  };
}
