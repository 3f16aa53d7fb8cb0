import type { Socket } from 'node:net';
import { tooManyBytes } from '../request-error.js';

/** A body or an answer up to this size is not counted: there is at most one for each connection. */
export const uncountedBytes = 16 * 1024;

/** A client that holds more may use only `largeShare` of the budget, so that large requests never block small ones. */
const smallBytes = 192 * 1024;
const largeShare = 3 / 4;
/** A client that neither sends nor reads for this time loses its place to others once the budget is used up. */
const stalledMs = 10_000;
/** A request that waits longer for a place, or finds `maxWaiting` others waiting, is answered 429. */
const maxWaitMs = 15_000;
const maxWaiting = 64;
const checkEveryMs = 250;

/** Bytes that are counted for one client. */
export class Hold {
  /** Ends the client's request or connection; undefined while the server does not wait for the client. */
  onStalled: (() => void) | undefined;
  sinceMs: number;
  bytes = 0;

  constructor(private readonly budget: BufferBudget) {
    this.sinceMs = budget.nowMs();
  }

  /** Counts this many bytes from now on, whether there is room or not: for bytes that are already in memory. */
  resize(bytes: number): void {
    this.budget.count(this, bytes);
  }

  /** Counts more bytes if there is room for them. */
  tryGrow(bytes: number): boolean {
    const all = this.bytes + bytes;
    if (!this.budget.hasRoomFor(bytes, all)) return false;
    this.resize(all);
    return true;
  }

  /** From now on the server waits for the client; `onStalled` ends the wait when others need the room. */
  waitForClient(onStalled: () => void): void {
    this.onStalled = onStalled;
    this.sinceMs = this.budget.nowMs();
    this.budget.moveToEnd(this);
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
 * The bytes that the process holds for all its clients: bodies that arrive, and answers that wait to be sent
 * (docs/http.md#all-limits). Small amounts are counted whether there is room or not; larger ones wait for room, or are
 * refused with 429. So memory is bounded, however slowly clients send and read.
 */
export class BufferBudget {
  private heldBytes = 0;
  /** Ordered by how long the server has waited for their clients, longest first. */
  private readonly holds = new Set<Hold>();
  private readonly waiting: Waiting[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly maxBytes: number,
    readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** The bytes that are counted now, and the requests that wait for room. */
  state(): BufferState {
    return { heldBytes: this.heldBytes, waitingRequests: this.waiting.length };
  }

  /** Counts bytes that are already in memory. */
  hold(bytes: number): Hold {
    const hold = new Hold(this);
    this.count(hold, bytes);
    return hold;
  }

  /**
   * Whether `bytes` more may be held for a client, which then holds `all`. Ends stalled clients if that makes enough
   * room.
   */
  hasRoomFor(bytes: number, all = bytes): boolean {
    const missing = this.missing(bytes, all);
    if (missing <= 0) return true;
    this.endStalled(missing);
    return this.missing(bytes, all) <= 0;
  }

  /** Counts `bytes` more for a hold as soon as there is room. Rejects with the 429 of `tooManyBytes()`. */
  async reserve(hold: Hold, bytes: number): Promise<void> {
    const isSmall = hold.bytes + bytes <= smallBytes;
    if ((isSmall || this.waiting.length === 0) && hold.tryGrow(bytes)) return;
    if (this.waiting.length >= maxWaiting) throw tooManyBytes();
    // The server waits for room, not for the client.
    hold.onStalled = undefined;
    await new Promise<void>((admit, refuse) => {
      this.waiting.push({ hold, bytes, sinceMs: this.nowMs(), admit, refuse });
      this.timer ??= setInterval(() => this.serveWaiting(), checkEveryMs).unref();
    });
  }

  /** For `Hold`: replaces what is counted for it by `bytes`. */
  count(hold: Hold, bytes: number): void {
    const more = bytes - hold.bytes;
    hold.bytes = bytes;
    this.heldBytes += more;
    if (bytes > 0) this.holds.add(hold);
    else this.holds.delete(hold);
    if (more < 0 && this.waiting.length > 0) this.admitWaiting();
  }

  /** For `Hold`. */
  moveToEnd(hold: Hold): void {
    if (this.holds.delete(hold)) this.holds.add(hold);
  }

  private missing(bytes: number, all: number): number {
    const limit = all <= smallBytes ? this.maxBytes : this.maxBytes * largeShare;
    return this.heldBytes + bytes - limit;
  }

  private endStalled(bytes: number): void {
    const before = this.heldBytes;
    const sinceMs = this.nowMs() - stalledMs;
    for (const hold of this.holds) {
      if (before - this.heldBytes >= bytes) return;
      const { onStalled } = hold;
      if (onStalled === undefined || hold.sinceMs > sinceMs) continue;
      hold.release();
      onStalled();
    }
  }

  private serveWaiting(): void {
    const [first] = this.waiting;
    if (first !== undefined) this.hasRoomFor(first.bytes, first.hold.bytes + first.bytes);
    this.admitWaiting();
    const sinceMs = this.nowMs() - maxWaitMs;
    while (this.waiting[0] !== undefined && this.waiting[0].sinceMs < sinceMs) {
      this.waiting.shift()?.refuse(tooManyBytes());
    }
    if (this.waiting.length > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private admitWaiting(): void {
    for (;;) {
      const [first] = this.waiting;
      if (first === undefined) return;
      const all = first.hold.bytes + first.bytes;
      if (this.missing(first.bytes, all) > 0) return;
      this.waiting.shift();
      first.hold.resize(all);
      first.admit();
    }
  }
}

/**
 * Counts the answer to a request, instead of its body, until the client has read it. A client that does not read is cut
 * off when others need the room. Call it when the answer has been written.
 */
export function holdAnswer(
  budget: BufferBudget,
  exchange: { hold: Hold | undefined },
  { socket, size }: { readonly socket: Socket; readonly size: number },
): void {
  if (!socket.writableNeedDrain) {
    // Usually all of it has already left the process.
    exchange.hold?.release();
    return;
  }
  const hold = exchange.hold ?? budget.hold(0);
  hold.resize(size);
  holdUntilSent(hold, socket);
}

function holdUntilSent(hold: Hold, socket: Socket): void {
  const release = () => {
    socket.removeListener('drain', release);
    socket.removeListener('close', release);
    hold.release();
  };
  socket.on('drain', release);
  socket.on('close', release);
  hold.waitForClient(() => socket.destroy());
}
