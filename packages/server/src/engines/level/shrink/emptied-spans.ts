/** A range of LevelDB's keys, both included, and about how many bytes of rows were deleted or replaced in it. */
export interface EmptiedSpan {
  readonly from: string;
  readonly to: string;
  readonly bytes: number;
}

export function total(spans: readonly EmptiedSpan[]): number {
  return spans.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Consecutive spans in parts of at least this many bytes, except the last one. */
export function parted(spans: readonly EmptiedSpan[], minBytes: number): EmptiedSpan[][] {
  const parts: EmptiedSpan[][] = [];
  let bytes = 0;
  for (const span of spans) {
    if (parts.length === 0 || bytes >= minBytes) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(span);
    bytes += span.bytes;
  }
  return parts;
}
