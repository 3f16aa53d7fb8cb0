import { shareTaken } from '../../request-error.js';

/** So many each project may have, however few are free. */
const sureOfProject = 16;
/** How many times as many as are free a project may have. */
const timesFree = 3;
/** The same for requests that mostly wait, so that a project keeps places for its other requests. */
const timesFreeWaiting = 2;
/** So many projects are remembered before those that have nothing are forgotten. */
const fewProjects = 1024;

/** What a project has. */
interface Share {
  /** Of its requests in progress. */
  inProgress: number;
  /** Of its requests that have not ended, those that mostly wait included: each of them has a connection. */
  open: number;
}

export interface PlacesOptions {
  /** Requests beyond this number in progress are refused. */
  readonly maxRequests: number;
  /** The most connections that there can be. */
  readonly maxConnections: number;
  /** Whether there is one project at most, which may have everything. */
  readonly isForOne: () => boolean;
}

/**
 * The places of requests: requests in progress, and connections, which also have those that mostly wait (streams of changes).
 * No project takes all of either (docs/operations.md#limits): it may have three times as many as are free, and 16 in any case.
 * So one project alone gets three quarters at most, two get three sevenths each, and a part is free for the next. A server with
 * keys of one project only keeps nothing free.
 */
export class Places {
  /** All requests in progress. */
  inProgress = 0;
  /** All requests that have not ended. */
  open = 0;
  private readonly shares = new Map<string, Share>();
  private swept = fewProjects;
  private first: string | undefined;
  private areMany = false;

  constructor(private readonly options: PlacesOptions) {}

  /** How many projects it remembers. */
  get remembered(): number {
    return this.shares.size;
  }

  /** Whether more requests are in progress than there may be. */
  get areTaken(): boolean {
    return this.inProgress > this.options.maxRequests;
  }

  /**
   * Counts a request that is counted among all already as one of this project. Throws the 429 `RequestError` of a project
   * that has too many.
   */
  take(project: string): Share {
    if (!this.areMany) {
      this.first ??= project;
      this.areMany = project !== this.first;
    }
    const share = this.shareOf(project);
    if (share.open >= sureOfProject) this.require(share, timesFree);
    share.inProgress++;
    share.open++;
    return share;
  }

  /** Throws the 429 `RequestError` of a project that has too many for one more of its requests to wait. */
  requireForWaiting(share: Share): void {
    if (share.open > sureOfProject) this.require(share, timesFreeWaiting);
  }

  private require(share: Share, times: number): void {
    const { maxRequests, maxConnections, isForOne } = this.options;
    const freeRequests = Math.max(0, maxRequests - this.inProgress);
    const freeConnections = Math.max(0, maxConnections - this.open);
    const hasTooMany =
      (share.inProgress >= sureOfProject && share.inProgress > times * freeRequests) ||
      share.open > times * freeConnections;
    if (hasTooMany && (this.areMany || !isForOne())) throw shareTaken();
  }

  private shareOf(project: string): Share {
    const known = this.shares.get(project);
    if (known !== undefined) return known;
    if (this.shares.size >= 2 * this.swept) {
      for (const [name, { open }] of this.shares) if (open === 0) this.shares.delete(name);
      this.swept = Math.max(fewProjects, this.shares.size);
    }
    const share = { inProgress: 0, open: 0 };
    this.shares.set(project, share);
    return share;
  }
}

/** What one request has of the places. */
export class Place {
  private share: Share | undefined;
  private isInProgress = true;

  constructor(private readonly places: Places) {
    places.inProgress++;
    places.open++;
  }

  /** The request is one of this project. Throws what `Places.take` throws. */
  belongsTo(project: string): void {
    this.share ??= this.places.take(project);
  }

  /** The request mostly waits from now on. Throws what `Places.requireForWaiting` throws. */
  waits(): void {
    if (this.share !== undefined) this.places.requireForWaiting(this.share);
    this.leaveProgress();
  }

  leaveProgress(): void {
    if (!this.isInProgress) return;
    this.isInProgress = false;
    this.places.inProgress--;
    if (this.share !== undefined) this.share.inProgress--;
  }

  /** The request has ended. Called once. */
  leave(): void {
    this.leaveProgress();
    this.places.open--;
    if (this.share !== undefined) this.share.open--;
  }
}
