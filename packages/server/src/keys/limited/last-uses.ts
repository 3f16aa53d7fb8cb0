import type { ItemStore } from '../../engines/item-store.js';
import { groupsOf } from '../../lib/groups.js';
import { limitedKeysSpace } from '../../spaces.js';
import type { KeyRow } from '../key-row.js';
import { newlyUsed, tidyStoredKeys } from '../stored-keys.js';

/** Of keys whose last use is not written yet. */
const maxNoted = 50_000;
const writtenAtOnce = 500;

/**
 * When limited keys were used last, until it is written. When more than 50,000 keys are used in the time between two
 * writes, some are not noted until their next use.
 */
export class LastUses {
  private noted = new Map<string, number>();

  note(id: string, row: KeyRow, usedMs: number): void {
    if (newlyUsed(row, usedMs) === undefined) return;
    if (this.noted.size < maxNoted || this.noted.has(id)) this.noted.set(id, usedMs);
  }

  usedMs(id: string): number {
    return this.noted.get(id) ?? 0;
  }

  forget(id: string): void {
    this.noted.delete(id);
  }

  /** A row with what is known of its last use. */
  withLastUse(row: KeyRow, usedMs: number): KeyRow {
    return { ...row, lastUsedSeconds: newlyUsed(row, usedMs) ?? row.lastUsedSeconds };
  }

  /** Writes what was noted. Gives the rows as they are then; undefined for a key that is not there any more. */
  async write(items: ItemStore): Promise<readonly (readonly [id: string, row: KeyRow | undefined])[]> {
    const written: (readonly [string, KeyRow | undefined])[] = [];
    for (const some of groupsOf([...this.noted.keys()], writtenAtOnce)) {
      const usedMs = (id: string) => this.usedMs(id);
      const rows = await tidyStoredKeys(items, some, { space: limitedKeysSpace, usedMs });
      written.push(...rows);
      // What was used in the meantime is in the next minute, or in the row.
      for (const id of some) this.noted.delete(id);
    }
    return written;
  }
}
