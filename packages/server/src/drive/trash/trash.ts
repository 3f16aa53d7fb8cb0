import type { Change } from '../../engines/item-store.js';
import { nowSeconds } from '../../lib/clock.js';
import { badField } from '../../request-error.js';
import { discard } from '../contents/garbage.js';
import { anyTrash } from '../contents/row-contents.js';
import type { DriveContext } from '../context.js';
import {
  fileRow,
  jsonRow,
  nameKey,
  type RestoredRow,
  readRow,
  restoredKey,
  type TrashRow,
  trashKey,
} from '../rows.js';
import { filesOf, freeOf } from '../transfers/move-files.js';
import { changeFiles } from './trash-or-discard.js';

/** A file in the trash, and the id under which it is asked for. */
export interface TrashedFile {
  readonly id: string;
  readonly file: TrashRow;
}

/** A page of what has the names of files, in the order of time, the newest first. */
export interface TimedQuery {
  /** Only what has a name that begins with both texts; empty for all. */
  readonly prefix: string;
  readonly within: string;
  /** Only what is older than this one; empty to begin with the newest. */
  readonly last: string;
  /** 1 or more. */
  readonly limit: number;
}

/** Reads a page of the trash, what was deleted last first (docs/http.md#list-trash). */
export async function listTrash(
  { items, clock }: DriveContext,
  space: string,
  { prefix, within, last, limit }: TimedQuery,
): Promise<{ readonly files: readonly TrashedFile[]; readonly more: boolean }> {
  const files: TrashedFile[] = [];
  const bound = last === '' ? {} : { lt: trashKey(last) };
  const range = { prefix: anyTrash, ...bound, reverse: true, firstBatch: limit + 1 };
  for await (const batch of items.scan(space, range)) {
    for (const { key, value } of batch) {
      const file = liveTrash(value, nowSeconds(clock));
      if (file === undefined || !file.name.startsWith(prefix) || !file.name.startsWith(within)) continue;
      if (files.length === limit) return { files, more: true };
      files.push({ id: key.slice(anyTrash.length), file });
    }
  }
  return { files, more: false };
}

/** A file that comes back, and its name then; undefined: the one that it had. */
export interface Restore {
  readonly id: string;
  readonly name: string | undefined;
}

export interface RestoreRequest {
  readonly files: readonly Restore[];
  /** Whether files of these names are replaced, and come to the trash themselves. */
  readonly overwrite: boolean;
  /** What is in the trash counts only if its name begins with this text; empty for all. */
  readonly within: string;
}

/** For this long, a row says that a content came back: for whoever read all rows in the meantime. */
const restoredSeconds = 7 * 24 * 60 * 60;

/**
 * Gives files from the trash their names back, all of them or none (docs/http.md#restore-files). Throws a 404
 * `RequestError` if one is not there, and 409 if there is one of its name that may not be replaced.
 */
export async function restoreFiles(
  context: DriveContext,
  space: string,
  { files, overwrite, within }: RestoreRequest,
): Promise<void> {
  const { items, clock } = context;
  const keys = files.map(({ id }) => trashKey(id));
  const rows = await items.transact(space, keys, (found) => ({ result: found }));
  const names = files.map(({ name }, index) => {
    const row = rows[index];
    // The row of a file in the trash never changes.
    const before = row && readRow<TrashRow>(row).name;
    if (!before?.startsWith(within)) throw notInTrash(index);
    return name ?? before;
  });
  const seen = new Set<string>();
  for (const [index, name] of names.entries()) {
    if (seen.has(name)) throw badField(`files[${index}].name`, 'duplicate', 'occurs twice');
    seen.add(name);
  }
  const changed = { space, keys: [...keys, ...names.map(nameKey)] };
  await changeFiles(context, changed, (read, trashOrDiscard): Change<undefined> => {
    const now = nowSeconds(clock);
    const found = filesOf(names, read.slice(keys.length));
    const changes = names.map((to, index) => {
      const trashed = liveTrash(read[index], now);
      if (trashed === undefined) throw notInTrash(index);
      const { name: _, deletedMs: _ms, endsAtSeconds: _end, ...file } = trashed;
      const replaced = trashOrDiscard(to, freeOf(found, { index, to, overwrite, now }, 'name'));
      const restored: RestoredRow = { layout: file.layout };
      const left = { ...jsonRow(restoredKey(file.id), restored), dueSeconds: now + restoredSeconds };
      const isInRow = file.layout === 'row';
      return {
        puts: [fileRow(to, file), ...(isInRow ? [] : [left]), ...replaced.puts],
        deletes: replaced.deletes,
      };
    });
    return {
      puts: changes.flatMap(({ puts }) => puts),
      deletes: [...keys, ...changes.flatMap(({ deletes }) => deletes)],
      result: undefined,
    };
  });
}

/**
 * Deletes files of the trash for good, and gives their number. Those that `isAllowed` refuses stay, and so do those that
 * came back in the meantime.
 */
export async function emptyTrash(
  { items, garbageDue, wakeMaintenance }: DriveContext,
  space: string,
  ids: readonly string[],
  isAllowed: (file: TrashRow) => boolean,
): Promise<number> {
  const keys = ids.map(trashKey);
  const deleted = await items.transact(space, keys, (rows): Change<number> => {
    const due = garbageDue();
    const gone = rows.flatMap((row, index) => {
      const file = row && readRow<TrashRow>(row);
      return file !== undefined && isAllowed(file)
        ? [{ key: keys[index] as string, ...discard(file, due) }]
        : [];
    });
    return {
      puts: gone.flatMap(({ puts }) => puts),
      deletes: gone.flatMap(({ key, deletes }) => [key, ...deletes]),
      makesRoom: true,
      result: gone.length,
    };
  });
  wakeMaintenance();
  return deleted;
}

/** The file of a row of the trash; undefined if there is none, or its time is over. */
function liveTrash(row: Buffer | undefined, now: number): TrashRow | undefined {
  const file = row && readRow<TrashRow>(row);
  return file === undefined || file.endsAtSeconds <= now ? undefined : file;
}

function notInTrash(index: number) {
  return badField(`files[${index}].id`, 'not_in_trash', 'is not in the trash');
}

/** Handles a due row of the trash, or of what came back from it. A file that is not due yet stays. */
export async function sweepTrash(context: DriveContext, space: string, key: string): Promise<void> {
  if (!key.startsWith(anyTrash)) {
    await context.items.transact(space, [], () => ({ deletes: [key], result: undefined }));
    return;
  }
  const isOver = ({ endsAtSeconds }: TrashRow) => endsAtSeconds <= nowSeconds(context.clock);
  await emptyTrash(context, space, [key.slice(anyTrash.length)], isOver);
}
