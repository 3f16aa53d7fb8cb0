import { RowsDamaged } from '../../storage-errors.js';

/** LevelDB's keys from one to another, both included. */
export interface KeySpan {
  readonly from: Buffer;
  readonly to: Buffer;
}

/**
 * The keys that a damaged place in a table may have had. What is found there may lack rows, or show rows that were
 * deleted or replaced since. So nothing is read or written there any more, while everything else is.
 */
export interface Fences {
  readonly isEmpty: boolean;
  readonly spans: readonly KeySpan[];
  /** Gives false if the span is fenced off already. */
  add(span: KeySpan): boolean;
  /** Whether a fence is at `from`, or after it and before `before`. */
  crosses(from: string, before: string): boolean;
  /** Throws `RowsDamaged` if `crosses`. */
  checkSpan(from: string, before: string): void;
  /** Throws `RowsDamaged` if the key is fenced off. */
  check(key: string): void;
}

export function createFences(known: readonly KeySpan[] = []): Fences {
  const spans = [...known];

  function crosses(from: string, before: string): boolean {
    if (spans.length === 0) return false;
    const [first, end] = [Buffer.from(from), Buffer.from(before)];
    return spans.some((span) => span.from.compare(end) < 0 && span.to.compare(first) >= 0);
  }

  function checkSpan(from: string, before: string): void {
    if (crosses(from, before)) throw new RowsDamaged('A damaged table may have had other rows here');
  }

  return {
    get isEmpty() {
      return spans.length === 0;
    },
    spans,
    add(span) {
      if (spans.some(({ from, to }) => from.compare(span.from) <= 0 && to.compare(span.to) >= 0))
        return false;
      spans.push(span);
      return true;
    },
    crosses,
    checkSpan,
    check(key) {
      if (spans.length > 0) checkSpan(key, keyAfter(key));
    },
  };
}

export function spanOf(from: string, to: string): KeySpan {
  return { from: Buffer.from(from), to: Buffer.from(to) };
}

/** The first key after another. */
export function keyAfter(key: string): string {
  return `${key}\0`;
}
