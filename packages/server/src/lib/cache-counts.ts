/** How a cache was used since the start. */
export interface CacheCounts {
  readonly hits: number;
  readonly misses: number;
  /** The memory that it takes now. */
  readonly bytes: number;
}
