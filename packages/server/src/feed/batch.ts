import type { Position } from './position.js';

/** Changes as JSON, in their order, and where they end. */
export interface Batch {
  readonly changes: readonly string[];
  readonly position: Position;
  /** Whether nothing more is there for now. */
  readonly isLive: boolean;
}
