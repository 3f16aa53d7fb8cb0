import { type Change, headerKey, type ItemStore, type Put } from '../../../engines/item-store.js';
import { compareUtf8 } from '../../../lib/text/utf8-order.js';
import { type Declaration, readDeclarations, stateIn } from '../declarations/declarations.js';
import { bytesOfRows, EntriesTooLarge, partEntryBytes } from '../writing/entry-budget.js';
import { createIndexRowsOf } from '../writing/entry-changes.js';
import type { IndexedStore } from '../writing/indexed-store.js';
import { inParts, ofPart } from '../writing/transaction-bounds.js';

export interface BuildDependencies {
  readonly items: ItemStore;
  /** The same rows as items only. */
  readonly indexedStore: IndexedStore;
  /** Whether the item of a row has expired. */
  readonly isExpired: (row: Buffer) => boolean;
}

/** Adds the rows of an index, batch by batch. */
export interface Build {
  /** Adds those of the items of these keys. Resolves to false if the index is no longer to be built. */
  add(keys: readonly string[]): Promise<boolean>;
  /** Whether more collisions were found than are listed. */
  isFailed(): boolean;
  /** The first keys of items whose values are not unique, in their order; empty if all are. */
  collisions(): readonly string[];
}

/** The maximum number of listed keys of items with equal values. */
const toldCollisions = 10;

/** A batch has more bytes of items only if its last one is large: that one has a transaction of its own. */
const partItemBytes = 640 * 1024;

const nothing = Buffer.alloc(0);

/** What a transaction has to read, or to do first, before it can decide. */
type Outcome =
  | 'gone'
  | { readonly unread: readonly string[] }
  | { readonly expired: readonly string[] }
  | { readonly collisions: readonly string[] };

/**
 * Each batch is one transaction, or several if its items are large or have many entries. It reads the items as they are
 * then. From the declaration on, writers keep the rows of their items in step. So a unique row may name an item that has
 * taken the values since, while another item has had them all the time: then the two collide.
 */
export function createBuildOf(
  { items, indexedStore, isExpired }: BuildDependencies,
  space: string,
  index: Declaration,
): Build {
  const rowsOf = createIndexRowsOf([index]);
  const colliding = new Set<string>();

  function attempt(keys: readonly string[], extra: readonly string[]): Promise<Outcome> {
    const read = [headerKey, ...keys, ...extra];
    const decide = (values: readonly (Buffer | undefined)[]): Change<Outcome> => {
      if (stateIn(readDeclarations(values[0]), index) !== 'building') return { result: 'gone' };
      const stored = new Map(read.map((key, at) => [key, values[at]]));
      const puts: Put[] = [];
      const owners = new Map<string, string>();
      const unread: string[] = [];
      const expired: string[] = [];
      const collisions: string[] = [];
      let bytes = 0;
      let itemBytes = 0;
      for (const [at, key] of keys.entries()) {
        const item = stored.get(key);
        if (item === undefined) continue;
        itemBytes += item.length;
        if (at > 0 && itemBytes > partItemBytes) throw new EntriesTooLarge(at);
        const rows = rowsOf(key, item.toString());
        bytes += bytesOfRows(rows);
        if (at > 0 && bytes > partEntryBytes) throw new EntriesTooLarge(at);
        const { entries, uniqueRows } = rows;
        for (const entry of entries) puts.push({ key: entry, value: nothing });
        for (const { row } of uniqueRows) {
          if (!stored.has(row)) {
            unread.push(row);
            continue;
          }
          const owner = owners.get(row) ?? stored.get(row)?.toString();
          if (owner === key) continue;
          if (owner !== undefined) {
            if (!stored.has(owner)) {
              unread.push(owner);
              continue;
            }
            const other = stored.get(owner);
            // The owners of many small items may be large.
            bytes += other?.length ?? 0;
            if (at > 0 && bytes > partEntryBytes) throw new EntriesTooLarge(at);
            const isOwner =
              other !== undefined &&
              rowsOf.uniqueRowsOf(other.toString()).some((uniqueRow) => uniqueRow.row === row);
            if (isOwner) {
              if (isExpired(item)) expired.push(key);
              else if (isExpired(other)) expired.push(owner);
              else collisions.push(owner, key);
              continue;
            }
          }
          owners.set(row, key);
          puts.push({ key: row, value: Buffer.from(key) });
        }
      }
      if (unread.length > 0) return { result: { unread } };
      if (expired.length > 0) return { result: { expired } };
      return { puts, result: { collisions } };
    };
    return items.transact(space, read, decide, ofPart);
  }

  async function addPart(keys: readonly string[]): Promise<boolean> {
    let extra: readonly string[] = [];
    for (;;) {
      const outcome = await attempt(keys, extra);
      if (outcome === 'gone') return false;
      if ('unread' in outcome) extra = [...extra, ...outcome.unread];
      else if ('expired' in outcome) await indexedStore.removeExpired(space, outcome.expired);
      else {
        for (const key of outcome.collisions) colliding.add(key);
        return true;
      }
    }
  }

  return {
    async add(keys) {
      return (await inParts(keys, addPart)).every(Boolean);
    },
    isFailed: () => colliding.size >= toldCollisions,
    collisions: () => [...colliding].sort(compareUtf8).slice(0, toldCollisions),
  };
}
