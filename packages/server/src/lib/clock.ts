/** Milliseconds since 1970 UTC. Passed in everywhere, so that tests can let a day go by. */
export type Clock = () => number;

export function nowSeconds(clock: Clock): number {
  return Math.floor(clock() / 1000);
}
