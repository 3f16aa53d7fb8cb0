import type { Put } from '../../engines/item-store.js';
import type { Store } from '../../engines/store.js';
import { nameCounter, trashCounter } from '../counted-files.js';
import { type FileRow, type GarbageRow, garbageKey, jsonRow, partsPrefix, uploadKey } from '../rows.js';
import type { Leases } from './leases.js';
import {
  anyFile,
  anyGarbage,
  anyLinked,
  anyListed,
  anyRestored,
  anyTrash,
  bytesKey,
  type ContentName,
  garbageContent,
  type Holders,
  holdersOf,
  holdersOfPieces,
  namedContent,
} from './row-contents.js';

/**
 * Garbage is content that no name refers to any more. If its bytes are in a row, the transaction that removes the name
 * deletes them. Blobs are deleted later, by maintenance. Until then a garbage row names them, so that a crash does not
 * leave them behind.
 */

/** The changes that a transaction needs to discard a content. */
export interface Discard {
  readonly puts: readonly Put[];
  readonly deletes: readonly string[];
}

const nothing: Discard = { puts: [], deletes: [] };

/**
 * Gives the changes that discard a content. `dueSeconds` is the time from which maintenance may delete the bytes, in
 * whole seconds since 1970 UTC.
 */
export function discard(
  content: (ContentName & Pick<FileRow, 'bytes'>) | undefined,
  dueSeconds: number,
): Discard {
  if (content === undefined || content.bytes !== undefined) return nothing;
  const key = bytesKey(content);
  if (key !== undefined) return { puts: [], deletes: [key] };
  // Content that is not in a row is a blob or a list of pieces.
  const layout = content.layout as GarbageRow['layout'];
  return { puts: [garbageRow(content.id, { layout }, dueSeconds)], deletes: [] };
}

export function garbageRow(id: string, row: GarbageRow, dueSeconds: number): Put {
  return { ...jsonRow<GarbageRow>(garbageKey(id), row), dueSeconds };
}

/** The maximum number of rows that one transaction deletes. */
const maxRowsPerDelete = 1000;

/**
 * Handles a due row of a drive for maintenance. It drops an upload that had no request for too long. It deletes the
 * bytes of garbage, and then the row that names them. Each step may be repeated. Resolves to false if the row must be
 * handled again later.
 */
export type Sweep = (space: string, key: string) => Promise<boolean>;

export interface SweepDependencies extends Store {
  readonly leases: Leases;
  readonly dropUpload: (space: string, uploadId: string) => Promise<void>;
  readonly expireFile: (space: string, key: string) => Promise<void>;
  readonly sweepTrash: (space: string, key: string) => Promise<void>;
  /** Begins to count the files of a drive. */
  readonly startCount: (space: string) => void;
}

export function createSweep(dependencies: SweepDependencies): Sweep {
  const { items, blobs, leases, dropUpload, expireFile, sweepTrash, startCount } = dependencies;

  async function sweepGarbage(space: string, id: string): Promise<boolean> {
    const value = await items.get(space, garbageKey(id));
    if (value === undefined) return true;
    // The name is already deleted, so a lease that is taken later does not count: its reader reads the name again.
    if (leases.has(id)) return false;
    const content = garbageContent({ key: garbageKey(id), value });
    if (content === undefined) await deleteParts(space, id);
    else await deleteHolders(space, await holdersOf(items, space, content));
    await deleteRows(space, [garbageKey(id)]);
    return true;
  }

  async function deleteParts(space: string, uploadId: string): Promise<void> {
    for await (const batch of items.scan(space, { prefix: partsPrefix(uploadId) })) {
      const held = holdersOfPieces(batch.flatMap((row) => namedContent(row) ?? []));
      await deleteHolders(space, { blobs: held.blobs, rows: [...held.rows, ...batch.map((row) => row.key)] });
    }
  }

  async function deleteHolders(space: string, holders: Holders | undefined): Promise<void> {
    // If the list of pieces is missing, the content was deleted before.
    if (holders === undefined) return;
    await blobs.delete(holders.blobs);
    await deleteRows(space, holders.rows);
  }

  async function deleteRows(space: string, keys: readonly string[]): Promise<void> {
    for (let at = 0; at < keys.length; at += maxRowsPerDelete) {
      const deletes = keys.slice(at, at + maxRowsPerDelete);
      await items.transact(space, [], () => ({ deletes, result: undefined }));
    }
  }

  return async (space, key) => {
    if (key.startsWith(anyGarbage)) return await sweepGarbage(space, key.slice(anyGarbage.length));
    if (key === nameCounter || key === trashCounter) {
      startCount(space);
      return false;
    }
    if (key.startsWith(anyFile)) await expireFile(space, key);
    else if (key.startsWith(anyLinked) || key.startsWith(anyListed)) await deleteRows(space, [key]);
    else if (key.startsWith(anyTrash) || key.startsWith(anyRestored)) await sweepTrash(space, key);
    else await dropUpload(space, key.slice(uploadKey('').length));
    return true;
  };
}
