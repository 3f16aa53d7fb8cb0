/** Whether this server has run lately, so that what it knows of keys and projects is what the other servers know. */
export interface Wakefulness {
  /**
   * Until when it counts as awake, by `performance.now()`. A request that begins later comes to a server that has slept: its
   * process was stopped, its container was paused.
   */
  readonly awakeUntilMs: number;
  /** Reads what others have changed meanwhile. Resolves in any case, in time. */
  catchUp(): Promise<void>;
}

/**
 * Does the work at once on a server that is awake. One that has slept first catches up: else it would accept a key that was
 * revoked, and store items of a project that was deleted, longer than docs/http.md#delete-key allows.
 */
export function whenAwake<T>(
  wakefulness: Wakefulness | undefined,
  { startedMs }: { readonly startedMs: number },
  work: () => T | Promise<T>,
): T | Promise<T> {
  if (wakefulness === undefined || startedMs <= wakefulness.awakeUntilMs) return work();
  return wakefulness.catchUp().then(work);
}
