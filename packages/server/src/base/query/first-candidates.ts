import type { Steps } from '../../lib/concurrency/time-slices.js';
import { rowsPerStep } from './evaluate.js';
import type { Position, SortOrder } from './sort-order.js';

/** An item that may belong to a page of an ordered query. */
export interface Candidate extends Position {
  readonly text: string;
  readonly bytes: number;
}

interface CandidateLimits {
  readonly limit: number;
  readonly maxBytes: number;
  /** This number of candidates is kept whatever their bytes. */
  readonly needed?: number;
}

/**
 * Keeps the first of the offered candidates, at most `limit` and `maxBytes`, in a heap with the last of them on top.
 * Nothing after a dropped candidate is accepted later, so the kept candidates have no gap.
 */
export class FirstCandidates {
  private heap: Candidate[] = [];
  private bytes = 0;
  /** The first candidate that was dropped: nothing after it is kept. */
  bound: Position | undefined;
  /** Whether there are more bytes than allowed, and no more candidates than needed. Then nothing more may be offered. */
  hasTooMany = false;

  constructor(
    private readonly order: Pick<SortOrder, 'compare'>,
    private readonly limits: CandidateLimits,
  ) {}

  /** Whether a candidate was dropped. */
  get hasMore(): boolean {
    return this.bound !== undefined;
  }

  offer({ key, values }: Position, text: string): void {
    if (this.bound !== undefined && this.order.compare({ key, values }, this.bound) > 0) return;
    const bytes = Buffer.byteLength(text);
    this.bytes += bytes;
    this.heap.push({ key, values, text, bytes });
    this.rise(this.heap.length - 1);
    const { limit, maxBytes, needed = 0 } = this.limits;
    while (this.heap.length > limit || this.bytes > maxBytes) {
      this.hasTooMany = this.heap.length <= needed;
      if (this.hasTooMany) return;
      const { key, values } = this.dropLast();
      this.bound = { key, values };
    }
  }

  /** Removes all candidates from the heap and gives them in any order. */
  takeAll(): Candidate[] {
    const all = this.heap;
    this.heap = [];
    this.bytes = 0;
    return all;
  }

  /** Removes all candidates from the heap and gives them in the order. */
  *inOrder(): Steps<readonly Candidate[]> {
    const candidates: Candidate[] = [];
    while (this.heap.length > 0) {
      candidates.push(this.dropLast());
      if (candidates.length % rowsPerStep === 0) yield;
    }
    return candidates.reverse();
  }

  private dropLast(): Candidate {
    const [top] = this.heap;
    const moved = this.heap.pop();
    if (top === undefined || moved === undefined) throw new Error('the heap is empty');
    if (this.heap.length > 0) {
      this.heap[0] = moved;
      this.sink();
    }
    this.bytes -= top.bytes;
    return top;
  }

  private rise(from: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.isBehind(at, parent)) return;
      this.swap(at, parent);
      at = parent;
    }
  }

  private sink(): void {
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= this.heap.length) return;
      const right = left + 1;
      const larger = right < this.heap.length && this.isBehind(right, left) ? right : left;
      if (!this.isBehind(larger, at)) return;
      this.swap(at, larger);
      at = larger;
    }
  }

  private isBehind(a: number, b: number): boolean {
    return this.order.compare(this.heap[a] as Candidate, this.heap[b] as Candidate) > 0;
  }

  private swap(a: number, b: number): void {
    const moved = this.heap[a] as Candidate;
    this.heap[a] = this.heap[b] as Candidate;
    this.heap[b] = moved;
  }
}
