/**
 * The client of Electric writes its notes after a minute, by a timer that would keep the process: after this call, such a
 * timer does not.
 */
export function releaseLongTimers(): void {
  const plainTimeout = globalThis.setTimeout;
  globalThis.setTimeout = ((call: () => void, ms?: number, ...rest: []) => {
    const timer = plainTimeout(call, ms, ...rest);
    return (ms ?? 0) > longMs ? timer.unref() : timer;
  }) as typeof setTimeout;
}

const longMs = 55_000;
