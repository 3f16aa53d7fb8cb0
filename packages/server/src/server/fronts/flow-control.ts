/** How many bytes of a connection a front may send that the owner has not taken. What it read last may come on top. */
export const receiveWindowBytes = 32 * 1024;
/** How many bytes of a connection may always wait in its front for the client. */
export const leastWindowBytes = 8 * 1024;
const mostWindowBytes = 256 * 1024;
/** How many more the connections of a front share. */
const sharedBytes = 16 * 1024 * 1024;
/** What the others leave is divided by this for one connection. */
const part = 8;

/**
 * The windows of the connections of a front: how much it keeps that clients have not read yet. A few slow readers have
 * large windows; thousands have small ones, and none keeps another from its least window.
 */
export class FrontWindows {
  private used = 0;

  /** The most bytes that a connection may have in the front now. */
  window(): number {
    const free = Math.floor((sharedBytes - this.used) / part);
    return Math.max(leastWindowBytes, Math.min(mostWindowBytes, free));
  }

  /** A connection has `after` bytes there in place of `before`. */
  change(before: number, after: number): void {
    this.used += Math.max(0, after - leastWindowBytes) - Math.max(0, before - leastWindowBytes);
  }
}
