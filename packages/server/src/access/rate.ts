/** Admits so many requests a second, and as many at once after a pause (docs/http.md#limited-keys). */
export interface Rate {
  /** Takes a request at this time of a clock that never goes back. Gives 0, or whole seconds to wait: 1 or more. */
  take(nowMs: number): number;
}

/** A token bucket. It holds the requests of one second, at least one. */
export function createRate(requestsPerSecond: number): Rate {
  const capacity = Math.max(1, requestsPerSecond);
  let tokens = capacity;
  let lastMs = 0;
  return {
    take(nowMs) {
      tokens = Math.min(capacity, tokens + ((nowMs - lastMs) / 1000) * requestsPerSecond);
      lastMs = nowMs;
      if (tokens >= 1) {
        tokens--;
        return 0;
      }
      return Math.max(1, Math.ceil((1 - tokens) / requestsPerSecond));
    },
  };
}
