/** A body that the server waits for. */
export interface AwaitedBody {
  /** The project whose request it is; undefined if that is not known yet. */
  readonly owner: string | undefined;
  /** Ends the request, whose client is silent. */
  readonly end: () => void;
}

/**
 * The bodies that the server waits for, which count as requests in progress: whoever has a key that reads, or posts a form
 * of S3 without one, could take all places with a few bytes a minute. So there are at most `most` of them. One more ends
 * that whose client has sent nothing for the longest, of the project with the most of them (docs/operations.md#limits): bodies
 * of one project that trickle must not end those of another.
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
    const owner = this.ownerOfMost();
    for (const silent of this.awaited) {
      if (silent.owner !== owner) continue;
      this.awaited.delete(silent);
      silent.end();
      return;
    }
  }

  /** The project with the most of them. It looks at all, once for each that is too many. */
  private ownerOfMost(): string | undefined {
    const counts = new Map<string | undefined, number>();
    let most: string | undefined;
    for (const { owner } of this.awaited) {
      const count = (counts.get(owner) ?? 0) + 1;
      counts.set(owner, count);
      if (count > (counts.get(most) ?? 0)) most = owner;
    }
    return most;
  }

  /** The server no longer waits for this one. */
  done(body: AwaitedBody): void {
    this.awaited.delete(body);
  }
}
