import { FairQueue, type Waiter } from '../../lib/concurrency/fair-queue.js';
import { abandoned, tooManyBytes } from '../../request-error.js';

/** A body or an answer up to this size is not counted: there is at most one for each connection. */
export const uncountedBytes = 16 * 1024;

/** Large clients may use this part of the budget, so that they never block small ones. */
const largeShare = 3 / 4;
/** A client that keeps the server waiting for this time loses its place to others once the budget is used up. */
const stalledMs = 10_000;
const checkEveryMs = 250;

export interface BudgetRules {
  readonly maxBytes: number;
  /** A client that holds more is a large one. */
  readonly smallBytes: number;
  /** A request that waits longer for a place is answered 429. */
  readonly maxWaitMs: number;
  /** So is one that finds this many others of its project waiting. */
  readonly maxWaiting: number;
}

/** Whose request it is. */
export interface Client extends Waiter {
  /** Whether it has closed the connection and no longer waits for the answer. */
  readonly isAbandoned: boolean;
}

/** For bytes that never wait, and work that nobody waits for. */
export const anyone: Client = { project: '', keyId: '', isAbandoned: false };

/** Bytes that are counted for one client. */
export class Hold {
  /** Ends the client's request or connection; undefined while it must not be ended. */
  onStalled: (() => void) | undefined;
  sinceMs = 0;
  bytes = 0;

  constructor(
    private readonly budget: BufferBudget,
    readonly client: Client,
  ) {}

  /** Whether others may have to wait for it. */
  get isLarge(): boolean {
    return this.budget.isLarge(this.bytes);
  }

  /** Counts this many bytes from now on, whether there is room or not: for bytes that are already in memory. */
  resize(bytes: number): void {
    this.budget.count(this, bytes);
  }

  /** Counts more bytes if there is room for them. */
  tryGrow(bytes: number): boolean {
    const all = this.bytes + bytes;
    if (!this.budget.hasRoomFor(bytes, this)) return false;
    this.resize(all);
    return true;
  }

  /**
   * From now on the server waits for the client, or the client for work that takes long: `onStalled` ends it when others
   * need the room.
   */
  waitForClient(onStalled: () => void): void {
    this.onStalled = onStalled;
    this.budget.watch(this);
  }

  release(): void {
    this.onStalled = undefined;
    this.budget.count(this, 0);
  }
}

/** How full the budget is. */
export interface BufferState {
  readonly heldBytes: number;
  readonly waitingRequests: number;
}

interface Waiting {
  readonly hold: Hold;
  readonly bytes: number;
  readonly sinceMs: number;
  readonly admit: () => void;
  readonly refuse: (cause: Error) => void;
}

/**
 * The bytes that the process holds for all its clients: one budget for bodies that arrive and answers that wait to be
 * sent, another for the values that bodies become (docs/http.md#memory). Small amounts are counted whether there is room
 * or not; larger ones wait for room, or are refused with 429. So memory is bounded, whatever clients send and however
 * slowly they send and read. Those that wait are admitted in turns of their projects and keys, small ones first.
 */
export class BufferBudget {
  private heldBytes = 0;
  /** Of them, those of large clients. */
  private largeBytes = 0;
  /** Those that may be ended, ordered by how long, longest first. */
  private readonly watched = new Set<Hold>();
  private readonly small = new FairQueue<Waiting>();
  /** Large ones that need more. They come before those that hold nothing yet, which wait for their end. */
  private readonly growing = new FairQueue<Waiting>();
  private readonly large = new FairQueue<Waiting>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly rules: BudgetRules,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** The bytes that are counted now, and the requests that wait for room. */
  state(): BufferState {
    return { heldBytes: this.heldBytes, waitingRequests: this.waiting };
  }

  /** The most that there is room for when nobody else holds any. */
  get mostOfOne(): number {
    return this.rules.maxBytes * largeShare;
  }

  /** Counts bytes that are already in memory. */
  hold(bytes = 0, client: Client = anyone): Hold {
    const hold = new Hold(this, client);
    this.count(hold, bytes);
    return hold;
  }

  /** Whether `bytes` more may be held, by `hold` if it is given. Ends stalled clients if that makes enough room. */
  hasRoomFor(bytes: number, hold?: Hold): boolean {
    const missing = this.missing(bytes, hold);
    if (missing <= 0) return true;
    this.endStalled(missing);
    return this.missing(bytes, hold) <= 0;
  }

  /** Counts `bytes` more for a hold at once, if there is room and no other waits for it. */
  tryReserve(hold: Hold, bytes: number): boolean {
    const queue = this.queueFor(hold, bytes);
    return queue.size === 0 && this.mayAdmit(queue) && hold.tryGrow(bytes);
  }

  /**
   * Counts `bytes` more for a hold as soon as there is room. Rejects with the 429 of `tooManyBytes()`, or when the client
   * has left.
   */
  async reserve(hold: Hold, bytes: number): Promise<void> {
    if (this.tryReserve(hold, bytes)) return;
    const others = this.queues.reduce((sum, queue) => sum + queue.sizeOf(hold.client), 0);
    if (others >= this.rules.maxWaiting) throw tooManyBytes();
    // The server waits for room, not for the client.
    hold.onStalled = undefined;
    await new Promise<void>((admit, refuse) => {
      const waiting = { hold, bytes, sinceMs: this.nowMs(), admit, refuse };
      this.queueFor(hold, bytes).push(hold.client, waiting);
      this.timer ??= setInterval(() => this.serveWaiting(), checkEveryMs).unref();
    });
  }

  /** For `Hold`: replaces what is counted for it by `bytes`. */
  count(hold: Hold, bytes: number): void {
    const more = bytes - hold.bytes;
    this.heldBytes += more;
    this.largeBytes += this.largePart(bytes) - this.largePart(hold.bytes);
    hold.bytes = bytes;
    if (bytes === 0) this.watched.delete(hold);
    if (more < 0 && this.timer !== undefined) this.admitWaiting();
  }

  /** For `Hold`. */
  watch(hold: Hold): void {
    hold.sinceMs = this.nowMs();
    this.watched.delete(hold);
    this.watched.add(hold);
  }

  /** For `Hold`. */
  isLarge(bytes: number): boolean {
    return bytes > this.rules.smallBytes;
  }

  private queueFor(hold: Hold, bytes: number): FairQueue<Waiting> {
    if (hold.isLarge) return this.growing;
    return this.isLarge(hold.bytes + bytes) ? this.large : this.small;
  }

  private get queues(): readonly FairQueue<Waiting>[] {
    return [this.small, this.growing, this.large];
  }

  private get waiting(): number {
    return this.small.size + this.growing.size + this.large.size;
  }

  private mayAdmit(queue: FairQueue<Waiting>): boolean {
    return queue !== this.large || this.growing.size === 0;
  }

  private largePart(bytes: number): number {
    return this.isLarge(bytes) ? bytes : 0;
  }

  private missing(bytes: number, hold?: Hold): number {
    const before = hold?.bytes ?? 0;
    const { maxBytes } = this.rules;
    const inAll = this.heldBytes + bytes - maxBytes;
    const large = this.largePart(before + bytes);
    if (large === 0) return inAll;
    return Math.max(inAll, this.largeBytes - this.largePart(before) + large - maxBytes * largeShare);
  }

  private endStalled(bytes: number): void {
    const before = this.heldBytes;
    const sinceMs = this.nowMs() - stalledMs;
    for (const hold of this.watched) {
      if (before - this.heldBytes >= bytes || hold.sinceMs > sinceMs) return;
      const { onStalled } = hold;
      if (onStalled === undefined) continue;
      hold.release();
      onStalled();
    }
  }

  private serveWaiting(): void {
    const sinceMs = this.nowMs() - this.rules.maxWaitMs;
    for (const queue of this.queues) {
      for (const { refuse } of queue.remove(({ hold }) => hold.client.isAbandoned)) refuse(abandoned());
      const { first } = queue;
      if (first !== undefined && this.mayAdmit(queue)) this.hasRoomFor(first.bytes, first.hold);
      this.admitFrom(queue);
      this.untangle(queue);
      for (const { refuse } of queue.remove((waiting) => waiting.sinceMs < sinceMs)) refuse(tooManyBytes());
    }
    if (this.waiting > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  /**
   * Work that grows may wait for memory that only other waiting work holds. Then none of it can go on. As long as that is
   * so, the project whose waiting work holds the most gives up its request that came last.
   */
  private untangle(queue: FairQueue<Waiting>): void {
    for (let { first } = queue; first !== undefined && this.mayAdmit(queue); { first } = queue) {
      const holding = this.queues.flatMap((each) => [...each.values()].filter(({ hold }) => hold.bytes > 0));
      if (!this.isStuck(first, holding)) return;
      const given = lastOfLargest(holding);
      // It holds all of it itself: nobody else can help.
      if (given === undefined || holding.every((waiting) => waiting === first)) return;
      for (const each of this.queues) each.remove((waiting) => waiting === given);
      given.hold.release();
      given.refuse(tooManyBytes());
    }
  }

  /** Whether there would be no room for it even if only these others held any. */
  private isStuck({ hold, bytes }: Waiting, holding: readonly Waiting[]): boolean {
    const { maxBytes } = this.rules;
    const held = holding.reduce((sum, { hold: other }) => sum + other.bytes, 0);
    if (held + bytes > maxBytes) return true;
    const large = this.largePart(hold.bytes + bytes);
    const others = holding.reduce((sum, { hold: other }) => sum + this.largePart(other.bytes), 0);
    return large > 0 && others - this.largePart(hold.bytes) + large > maxBytes * largeShare;
  }

  private admitWaiting(): void {
    for (const queue of this.queues) this.admitFrom(queue);
  }

  private admitFrom(queue: FairQueue<Waiting>): void {
    for (;;) {
      const { first } = queue;
      if (first === undefined || !this.mayAdmit(queue)) return;
      if (first.hold.client.isAbandoned) {
        queue.shift();
        first.refuse(abandoned());
        continue;
      }
      if (this.missing(first.bytes, first.hold) > 0) return;
      queue.shift();
      first.hold.resize(first.hold.bytes + first.bytes);
      first.admit();
    }
  }
}

/** Of the project whose holds have the most bytes together, the one that has waited for the shortest time. */
function lastOfLargest(holding: readonly Waiting[]): Waiting | undefined {
  const sums = new Map<string, number>();
  for (const { hold } of holding) {
    const { project } = hold.client;
    sums.set(project, (sums.get(project) ?? 0) + hold.bytes);
  }
  const most = Math.max(...sums.values());
  const ofLargest = holding.filter(({ hold }) => sums.get(hold.client.project) === most);
  return ofLargest.sort((a, b) => b.sinceMs - a.sinceMs)[0];
}
