import type { Steps } from '../lib/concurrency/time-slices.js';
import type { Batch, Position } from './position.js';

const maxCharacters = 1024 * 1024;
/** A page up to this size waits for nothing. */
const smallCharacters = 16 * 1024;
/** What a page takes: its changes, the text of the answer, and its bytes. */
const pageBytes = 3 * maxCharacters;

/** How many changes an answer has room for, and the memory for them. */
export class Room {
  count = 0;
  constructor(
    private readonly limit: number,
    /** Counts the memory of a large page. Rejects if there is none. */
    readonly reserve: (bytes: number) => void | Promise<void>,
  ) {}
  readonly left = () => Math.max(1, this.limit - this.count);
  get isFull(): boolean {
    return this.count >= this.limit;
  }
}

/** Where changes are read. */
export interface ChangeSource {
  /** Begins to read after a position; without one, where the caller asked to begin. */
  open(after?: Position): AsyncGenerator<Batch>;
}

/** Takes changes until there are enough of them, or all that there are. Ends what it reads from. */
export async function collectChanges(
  { open }: ChangeSource,
  room: Room,
  waitMs: number,
): Promise<Batch | undefined> {
  let batches = open();
  const changes: string[] = [];
  let characters = 0;
  let hasMemory = false;
  let latest: Batch | undefined;
  let late: Promise<undefined> | undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    for (;;) {
      const next = batches.next();
      const taken = await (late === undefined ? next : Promise.race([next, late]));
      if (taken === undefined || taken.done) break;
      const found = taken.value;
      const more = charactersOf(found);
      characters += more;
      if (characters > smallCharacters && !hasMemory) {
        hasMemory = true;
        const admitted = room.reserve(pageBytes);
        if (admitted !== undefined) {
          // What waits keeps nothing: it is read again.
          found.changes.length = 0;
          characters -= more;
          void batches.return(undefined).catch(() => {});
          await admitted;
          // What it has waited for is there.
          late = undefined;
          batches = open(latest?.position);
          continue;
        }
      }
      latest = found;
      changes.push(...latest.changes);
      room.count = changes.length;
      if (room.isFull || characters >= maxCharacters) break;
      if (!latest.isLive) continue;
      // Nobody waits with memory that others want.
      if (changes.length > 0 || waitMs === 0 || hasMemory) break;
      late ??= new Promise((resolve) => {
        timer = setTimeout(resolve, waitMs, undefined);
      });
    }
  } finally {
    clearTimeout(timer);
    void batches.return(undefined).catch(() => {});
  }
  return latest && { changes, position: latest.position, isLive: latest.isLive };
}

/** A function: a loop in what waits later would keep the last change. */
function charactersOf({ changes }: Batch): number {
  return changes.reduce((sum, { length }) => sum + length, 0);
}

/** Counts this many bytes for a request. */
export function* counting(bytes: number): Steps<void> {
  yield bytes;
}
