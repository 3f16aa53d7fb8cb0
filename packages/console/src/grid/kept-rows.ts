import type { VNode } from 'preact';

/** The rows that are drawn, by their ids. A row whose parts are identical is the same node: it is not drawn again. */
export interface KeptRows {
  /** Gives the node of a row: the one before, if it was made from the same parts. */
  node(id: string, parts: readonly unknown[], make: () => VNode): VNode;
  /** Forgets the rows that were not asked for since the last call. */
  sweep(): void;
}

interface Kept {
  readonly parts: readonly unknown[];
  readonly node: VNode;
}

export function createKeptRows(): KeptRows {
  let before = new Map<string, Kept>();
  let present = new Map<string, Kept>();
  return {
    node(id, parts, make) {
      const known = before.get(id);
      const kept = known !== undefined && isSame(known.parts, parts) ? known : { parts, node: make() };
      present.set(id, kept);
      return kept.node;
    },
    sweep() {
      before = present;
      present = new Map();
    },
  };
}

function isSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((part, at) => Object.is(part, other[at]));
}
