/** Admits a number of requests a second, all of them at once after a pause (docs/http.md#what-each-key-may-do). */
export class RateLimiter {
  private readonly intervalMs: number;
  /** How much earlier than its turn a request may come: the requests of one second at once. */
  private readonly earlyMs: number;
  /** The turn of the next request. */
  private nextMs = 0;

  constructor(readonly requestsPerSecond: number) {
    this.intervalMs = 1000 / requestsPerSecond;
    this.earlyMs = Math.max(0, 1000 - this.intervalMs);
  }

  /** Whether no earlier request counts any more at this time, so that it is like a new one. */
  isWhole(nowMs: number): boolean {
    return this.nextMs <= nowMs;
  }

  /** Takes a request at this time of a clock that never goes back. Gives 0, or whole seconds to wait: 1 or more. */
  take(nowMs: number): number {
    const waitMs = this.nextMs - this.earlyMs - nowMs;
    if (waitMs > 0) return Math.ceil(waitMs / 1000);
    this.nextMs = Math.max(this.nextMs, nowMs) + this.intervalMs;
    return 0;
  }
}
