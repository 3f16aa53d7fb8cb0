/** A front may send this many bytes of a connection that the owner has not taken, and what it read last. */
export const receiveWindowBytes = 32 * 1024;
/** What a connection may always have in its front without being taken by its client. */
export const leastWindowBytes = 8 * 1024;
const mostWindowBytes = 256 * 1024;
/** What the connections of a front have beyond that, together. */
const sharedBytes = 16 * 1024 * 1024;
/** One connection gets this part of what the others leave of it. */
const part = 8;

/**
 * The memory of a front for what clients have not read yet. A few slow readers have large windows; thousands have small
 * ones, and none keeps another from its least window.
 */
export class FrontRoom {
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
