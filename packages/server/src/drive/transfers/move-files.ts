import type { Change, Put } from '../../engines/item-store.js';
import { nowSeconds } from '../../lib/clock.js';
import { badField, type RequestError } from '../../request-error.js';
import type { DriveContext } from '../context.js';
import { type FileRow, fileKey, fileRow, isFileExpired, readFile } from '../rows.js';
import { changeFiles } from '../trash/trash-or-discard.js';
import type { Transfer, TransferBody } from './transfer-body.js';

/**
 * Renames all files in one transaction (docs/http.md#move-files). A name that a file of the request loses is free for
 * another one. Throws a 404 `RequestError` if there is no file named `from`, and 409 if there is one named `to`
 * that may not be replaced; then nothing is changed. Names may be those of the markers of folders.
 */
export async function moveFiles(
  context: DriveContext,
  space: string,
  { files, overwrite }: TransferBody,
): Promise<void> {
  const left = new Set(files.map(({ from }) => from));
  const taken = new Set(files.map(({ to }) => to));
  const names = [...new Set([...left, ...taken])];
  await changeFiles(
    context,
    { space, keys: names.map(fileKey) },
    (rows, trashOrDiscard): Change<undefined> => {
      const found = filesOf(names, rows);
      const stored = new Map(names.map((name, index) => [name, rows[index]]));
      const now = nowSeconds(context.clock);
      const puts: Put[] = [];
      const deletes = [...left].filter((name) => !taken.has(name)).map(fileKey);
      for (const [index, { from, to }] of files.entries()) {
        const file = found.get(from);
        if (file === undefined || isFileExpired(file, now)) throw missingFrom(index);
        if (!left.has(to)) {
          const replaced = trashOrDiscard(to, freeOf(found, { index, to, overwrite, now }));
          puts.push(...replaced.puts);
          deletes.push(...replaced.deletes);
        }
        puts.push(fileRow(to, file, stored.get(from)));
      }
      return { puts, deletes, result: undefined };
    },
  );
}

/** Gives the files by their names. `rows` are the rows that a transaction read for `names`. */
export function filesOf(
  names: readonly string[],
  rows: readonly (Buffer | undefined)[],
): ReadonlyMap<string, FileRow> {
  const found = new Map<string, FileRow>();
  for (const [index, name] of names.entries()) {
    const file = readFile(rows[index]);
    if (file !== undefined) found.set(name, file);
  }
  return found;
}

/** The `to` of a file of the request. */
export interface Target extends Pick<Transfer, 'to'>, Pick<TransferBody, 'overwrite'> {
  readonly index: number;
  /** The current time in whole seconds since 1970 UTC. */
  readonly now: number;
}

/**
 * Gives the file that a `to` replaces, or undefined if there is none. Throws a 409 `RequestError` if it may not be
 * replaced.
 */
export function freeOf(
  found: ReadonlyMap<string, FileRow>,
  { index, to, overwrite, now }: Target,
  member = 'to',
): FileRow | undefined {
  const file = found.get(to);
  if (file !== undefined && !overwrite && !isFileExpired(file, now))
    throw badField(`files[${index}].${member}`, 'file_exists', 'File already exists');
  return file;
}

export function missingFrom(index: number): RequestError {
  return badField(`files[${index}].from`, 'file_not_found', 'File not found');
}
