import type { Change } from '../../engines/item-store.js';
import type { WriteCondition } from '../../http/answers/conditional.js';
import { nowSeconds } from '../../lib/clock.js';
import { deleteUnnamed, type Source, storePiece } from '../contents/piece.js';
import type { DriveContext } from '../context.js';
import {
  etagOf,
  expiryOf,
  type FileExpiry,
  type FileRow,
  fileRow,
  liveFile,
  type Metadata,
  nameKey,
  readFile,
} from '../rows.js';
import { changeFiles } from '../trash/set-aside.js';

/** A new file: its bytes and its content type. The source of the bytes enforces their maximum number. */
export interface NewFile extends FileExpiry {
  readonly source: Source;
  readonly contentType: string;
  readonly metadata?: Metadata | undefined;
  /** A condition on the existing file. It is checked in the transaction that replaces the file. */
  readonly condition?: WriteCondition | undefined;
}

/** Stores a file and replaces any file of that name. Throws a 412 `RequestError` if the condition is not met. */
export async function putFile(
  context: DriveContext,
  space: string,
  name: string,
  { source, contentType, metadata, condition, ...expiry }: NewFile,
): Promise<void> {
  const { items, blobs, clock, inlineFileBytes, wakeMaintenance } = context;
  const key = nameKey(name);
  // The condition is checked before the body is read, so that no client sends megabytes for nothing.
  if (condition !== undefined)
    requireCondition(condition, liveFile(await items.get(space, key), nowSeconds(clock)));
  const { piece, puts } = await storePiece({ items, blobs }, source, inlineFileBytes);
  try {
    const isGarbageMade = await changeFiles(context, space, [key], ([row], setAside): Change<boolean> => {
      const before = readFile(row);
      if (condition !== undefined) requireCondition(condition, liveFile(row, nowSeconds(clock)));
      const expiresAtSeconds = expiryOf(expiry, nowSeconds(clock));
      const file: FileRow = { ...piece, contentType, modifiedMs: clock(), expiresAtSeconds, metadata };
      const old = setAside(name, before);
      return {
        puts: [fileRow(name, file), ...puts, ...old.puts],
        deletes: old.deletes,
        result: old.puts.length > 0,
      };
    });
    if (isGarbageMade) wakeMaintenance();
  } catch (cause) {
    // After most errors the row may have been written.
    await deleteUnnamed(blobs, piece, cause);
    throw cause;
  }
}

/** Throws a 412 `RequestError` if the condition is not met for this file. */
function requireCondition(condition: WriteCondition, file: FileRow | undefined): void {
  const unmet = condition(file && etagOf(file));
  if (unmet !== undefined) throw unmet;
}
