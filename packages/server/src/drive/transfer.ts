import type { Change, Put } from '../engines/item-store.js';
import type { Store } from '../engines/store.js';
import { type Clock, nowSeconds } from '../lib/clock.js';
import { conflict, notFound, type RequestError } from '../request-error.js';
import { discard } from './garbage.js';
import { type FileRow, fileRow, isFileExpired, nameKey, readFile } from './rows.js';
import type { Transfer, TransferBody } from './transfer-body.js';

export interface MoveParts extends Pick<Store, 'items'> {
  readonly clock: Clock;
  /** When the bytes of a file that is overwritten now may be deleted: whole seconds since 1970 UTC. */
  readonly garbageDue: () => number;
}

/**
 * Renames all files in one transaction of rows (docs/http.md#move-files). A name that one file of the request gives up
 * is free for another. Throws the 404 `RequestError` of a `from` without a file and the 409 of a `to` with one: then
 * nothing is changed.
 */
export async function moveFiles(
  { items, clock, garbageDue }: MoveParts,
  space: string,
  { files, overwrite }: TransferBody,
): Promise<void> {
  const left = new Set(files.map(({ from }) => from));
  const taken = new Set(files.map(({ to }) => to));
  const names = [...new Set([...left, ...taken])];
  await items.transact(space, names.map(nameKey), (rows): Change<undefined> => {
    const found = filesOf(names, rows);
    const due = garbageDue();
    const now = nowSeconds(clock);
    const puts: Put[] = [];
    const deletes = [...left].filter((name) => !taken.has(name)).map(nameKey);
    for (const [index, { from, to }] of files.entries()) {
      const file = found.get(from);
      if (file === undefined || isFileExpired(file, now)) throw missingFrom(index);
      if (!left.has(to)) {
        const replaced = discard(freeOf(found, { index, to, overwrite, now }), due);
        puts.push(...replaced.puts);
        deletes.push(...replaced.deletes);
      }
      puts.push(fileRow(to, file));
    }
    return { puts, deletes, result: undefined };
  });
}

/** The files of some names, by the rows that a transaction read for them. */
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

/** A `to` of a request. */
export interface Target extends Pick<Transfer, 'to'>, Pick<TransferBody, 'overwrite'> {
  readonly index: number;
  /** Whole seconds since 1970 UTC. */
  readonly now: number;
}

/** The file that a `to` replaces, undefined for none. Throws the 409 of one that may not be replaced. */
export function freeOf(
  found: ReadonlyMap<string, FileRow>,
  { index, to, overwrite, now }: Target,
): FileRow | undefined {
  const file = found.get(to);
  if (file !== undefined && !overwrite && !isFileExpired(file, now))
    throw conflict(`files[${index}].to: File already exists`);
  return file;
}

export function missingFrom(index: number): RequestError {
  return notFound(`files[${index}].from: File not found`);
}
