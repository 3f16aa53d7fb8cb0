import type { Position } from './position.js';

/** About how many bytes of rows are read for a batch: what is in memory for a reader. */
export const batchBytes = 64 * 1024;

/** Changes as JSON, in their order, and where they end. */
export interface Batch {
  /** Whoever has taken them empties the list: generators keep what they have given as long as a reader is slow. */
  readonly changes: string[];
  readonly position: Position;
  /** Whether nothing more is there for now. */
  readonly isLive: boolean;
}

/** What is sent together: changes, and where they end. */
export type Sending = Pick<Batch, 'position'> & { readonly changes: readonly string[] };
