import type { Batch } from './batch.js';
import type { Position } from './position.js';

/** An answer of JSON. */
export interface Collected {
  readonly changes: readonly string[];
  readonly position: Position;
  readonly isLive: boolean;
}

const maxCharacters = 1024 * 1024;

/** How many changes an answer has room for. */
export class Room {
  count = 0;
  constructor(private readonly limit: number) {}
  readonly left = () => Math.max(1, this.limit - this.count);
  get isFull(): boolean {
    return this.count >= this.limit;
  }
}

/** Takes changes until there are enough of them, or all that there are. Ends what it reads from. */
export async function collectChanges(
  batches: AsyncGenerator<Batch>,
  room: Room,
  waitMs: number,
): Promise<Collected | undefined> {
  const changes: string[] = [];
  let characters = 0;
  let latest: Batch | undefined;
  let late: Promise<undefined> | undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    for (;;) {
      const next = batches.next();
      const found = await (late === undefined ? next : Promise.race([next, late]));
      if (found === undefined || found.done) break;
      latest = found.value;
      for (const change of latest.changes) characters += change.length;
      changes.push(...latest.changes);
      room.count = changes.length;
      if (room.isFull || characters >= maxCharacters) break;
      if (!latest.isLive) continue;
      if (changes.length > 0 || waitMs === 0) break;
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
