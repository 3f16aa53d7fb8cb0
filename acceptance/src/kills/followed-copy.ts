import { type Change, Follower } from '../feed.js';

/** Two items that each transaction on them puts together, with the same number, which only grows. */
export interface Pair {
  readonly id: string;
  readonly n: number;
}

/** What a transaction was answered with that asked for its `tx`. */
export interface NamedPair extends Pair {
  readonly tx: string;
}

export const pairKeys = (id: string) => [`${id}/a`, `${id}/b`] as const;
const pairOf = (key = '') => /^(.*)\/[ab]$/.exec(key)?.[1];

/** How far a transaction has come. */
interface Passing {
  readonly tx: string;
  /** The keys of the pairs that it has changed. */
  readonly keys: ReadonlySet<string>;
}

/**
 * A copy that is kept by what the feed says, and what is wrong on the way: a transaction of which half has come when the next
 * one begins, one that comes after a later one, an item that goes back.
 */
export class FollowedCopy {
  readonly follower = new Follower();
  readonly findings: string[] = [];
  followed = 0;
  /** What the pairs of a transaction had when it was through: the lower number of the two. */
  readonly #through = new Map<string, ReadonlyMap<string, number>>();
  readonly #seen = new Map<string, number>();
  #passing: Passing = { tx: '', keys: new Set() };
  /** Where the reader goes on when it is cut off. */
  #kept = this.#passing;

  constructor(private readonly base: string) {}

  apply(change: Change): void {
    this.followed++;
    const { base, key = '', type, tx, item } = change;
    if (tx !== undefined && tx !== this.#passing.tx) this.#begin(tx);
    this.follower.apply(change);
    if (base !== this.base || pairOf(key) === undefined) return;
    if (tx !== undefined) this.#passing = { tx, keys: new Set([...this.#passing.keys, key]) };
    const { n = -1 } = type === 'put' ? (item as { n?: number }) : {};
    const before = this.#seen.get(key) ?? 0;
    if (n < before) this.findings.push(`${key} went back from ${before} to ${n}`);
    this.#seen.set(key, n);
  }

  /** Notes that the reader has a cursor; `isLive`: that all was given which was there. */
  reach(isLive: boolean): void {
    if (isLive) this.#end();
    this.#kept = this.#passing;
  }

  /** Goes on from the last cursor: what came after it comes again. */
  cut(): void {
    this.#passing = this.#kept;
  }

  /** What is wrong at the end; `named` are transactions that were answered. */
  judge(stored: Follower, named: readonly NamedPair[]): readonly string[] {
    const lost = named.flatMap(({ tx, id, n }) => {
      const reached = this.#through.get(tx)?.get(id);
      if (reached !== undefined && reached >= n) return [];
      return [`${id} had ${reached} when its transaction ${tx} was through, which put ${n}`];
    });
    const { items, files } = this.follower;
    return [...this.findings, ...lost, ...different(items, stored.items), ...different(files, stored.files)];
  }

  #begin(tx: string): void {
    this.#end();
    if (tx < this.#passing.tx) this.findings.push(`${tx} came after ${this.#passing.tx}`);
    this.#passing = { tx, keys: new Set() };
  }

  #end(): void {
    const { tx, keys } = this.#passing;
    const reached = new Map<string, number>();
    for (const id of new Set([...keys].map((key) => pairOf(key) ?? ''))) {
      const both = pairKeys(id);
      if (!both.every((key) => keys.has(key))) this.findings.push(`only half of ${id} came with ${tx}`);
      reached.set(id, Math.min(...both.map((key) => this.#seen.get(key) ?? -1)));
    }
    if (reached.size > 0) this.#through.set(tx, reached);
  }
}

function different(has: ReadonlyMap<string, unknown>, wanted: ReadonlyMap<string, unknown>): string[] {
  const text = (of: ReadonlyMap<string, unknown>, key: string) => JSON.stringify(of.get(key)) ?? 'nothing';
  return [...new Set([...has.keys(), ...wanted.keys()])]
    .filter((key) => text(has, key) !== text(wanted, key))
    .map((key) => `${key}: ${text(has, key)} in place of ${text(wanted, key)}`);
}
