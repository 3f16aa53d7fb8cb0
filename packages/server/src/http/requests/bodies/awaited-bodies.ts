/** A body that the server waits for. */
export interface AwaitedBody {
  /** Ends the request, whose client is silent. */
  readonly end: () => void;
}

/**
 * The bodies that the server waits for, which count as requests in progress: whoever has a key that reads, or posts a form
 * of S3 without one, could take all places with a few bytes a minute. So there are at most `most` of them. One more ends
 * that whose client has sent nothing for the longest (docs/operations.md#limits).
 */
export class AwaitedBodies {
  /** Those that have been silent for longer come first. */
  private readonly awaited = new Set<AwaitedBody>();

  constructor(private readonly most: number) {}

  /** From now on the server waits for the client, or waits on because some bytes have arrived. */
  wait(body: AwaitedBody): void {
    this.awaited.delete(body);
    this.awaited.add(body);
    if (this.awaited.size <= this.most) return;
    const [silent] = this.awaited;
    if (silent === undefined) return;
    this.awaited.delete(silent);
    silent.end();
  }

  /** The server no longer waits for this one. */
  done(body: AwaitedBody): void {
    this.awaited.delete(body);
  }
}
