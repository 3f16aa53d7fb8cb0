import { listOfOpaque, opaqueText } from '../lib/text/opaque-list.js';
import { badField, refused } from '../request-error.js';

/** How far a reader of the feed has come. */
export interface Position {
  /** The epoch of the log. */
  readonly epoch: string;
  /** The key of a row of the log: everything before it was given. */
  readonly next: string;
  /** The notes of that row that were given, too. */
  readonly given: number;
  /** What is left of the snapshot that comes before the changes; undefined when it is whole. */
  readonly snapshot?: SnapshotPosition | undefined;
}

/** A snapshot goes through bases, then drives, each in the order of the keys. */
export interface SnapshotPosition {
  readonly of: 'bases' | 'drives';
  /** The base or drive that it is in; empty before the first. */
  readonly name: string;
  /** The last key or name that was given of it; empty before the first. */
  readonly key: string;
}

/** Makes the cursor of a position (docs/http.md#cursors). */
export function cursorOf({ epoch, next, given, snapshot }: Position): string {
  const parts = [epoch, next, given, ...(snapshot ? [snapshot.of, snapshot.name, snapshot.key] : [])];
  return opaqueText(parts);
}

/** Reads a cursor. Throws a 400 `RequestError` if this service cannot have made it. */
export function readPosition(cursor: string, field: string): Position {
  const parts = listOfOpaque(cursor);
  const [epoch, next, given, of, name, key] = parts;
  const isWhole =
    typeof epoch === 'string' &&
    typeof next === 'string' &&
    /^\d{1,64}$/.test(next) &&
    Number.isSafeInteger(given) &&
    (given as number) >= 0 &&
    (parts.length === 3 ||
      (parts.length === 6 &&
        (of === 'bases' || of === 'drives') &&
        typeof name === 'string' &&
        typeof key === 'string'));
  if (!isWhole) throw badField(field, 'invalid_value', 'must be 0, or a cursor that an answer gave');
  const position = { epoch, next, given: given as number };
  return parts.length === 3 ? position : { ...position, snapshot: { of, name, key } as SnapshotPosition };
}

/** The changes after a cursor are no longer there (docs/http.md#retention). */
export function cursorTooOld() {
  return refused(
    'cursor_too_old',
    'since: the changes after this cursor are no longer kept: begin again with since=0',
  );
}

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
