import { BasedriveError, type FileTransfer } from 'basedrive-client';
import { PageError } from '../../api/errors.js';
import { client } from '../../api/session.js';
import type { JobControl } from '../../ui/jobs.js';
import { visible } from '../../ui/visible.js';
import type { Entry } from '../entry.js';
import {
  type ChosenName,
  chosenMarkers,
  type FilesChanged,
  inBatches,
  maxFiles,
  namesBelow,
} from '../names/chosen-names.js';
import { type Choices, type Conflict, conflictsOf, NameTaken } from '../names/conflicts.js';
import { takenNames } from '../names/taken-names.js';
import { inMoveOrder, type NameOf, newName, stillTaken } from './move-order.js';

interface MoveOptions {
  readonly choices: Choices;
  readonly control: JobControl;
  /** Files were moved, and none was replaced by them. */
  onMoved?(pairs: readonly FileTransfer[]): void;
}

/**
 * The files whose new names are taken: not those that other files give up by the same move. Rejects with a `PageError` if
 * the entries cannot be moved so.
 */
export async function findConflicts(
  drive: string,
  entries: readonly Entry[],
  nameOf: NameOf,
  signal: AbortSignal,
): Promise<readonly Conflict[]> {
  const moved = movedEntries(entries, nameOf);
  const targets = new Set<string>();
  const taken = new Set<string>();
  let names: string[] = [];
  const look = async () => {
    for (const name of await takenNames(drive, names, signal)) taken.add(name);
    names = [];
  };
  for await (const file of filesToMove(drive, moved, nameOf, signal)) {
    const to = newName(file, nameOf);
    targets.add(to);
    names.push(to);
    if (names.length === maxFiles) await look();
  }
  await look();
  return await conflictsOf(drive, { taken: stillTaken(taken, moved, nameOf), targets, signal });
}

/**
 * Gives files other names, and all files below folders. `choices` says what becomes of those whose names are taken, by
 * these names. Up to 1,000 files move at once, all or none; those that replace others, apart. Rejects with `NameTaken`
 * if a name is taken by then, and no file was moved before. The markers of folders move last, and become one with those
 * that are there.
 */
export async function moveEntries(
  drive: string,
  entries: readonly Entry[],
  nameOf: NameOf,
  { choices, control, onMoved }: MoveOptions,
): Promise<FilesChanged> {
  const chosen = new Set([...choices.values()].map((choice) => choice.kind === 'rename' && choice.name));
  /** Names that the user has chosen and files have got: a folder that is still listed may have them now. */
  const given = new Set<string>();
  const move = async (files: readonly ChosenName[], overwrite: boolean): Promise<number> => {
    if (files.length === 0) return 0;
    const pairs = files.map((file) => {
      const to = newName(file, nameOf);
      const choice = choices.get(to);
      return { from: file.name, to: choice?.kind === 'rename' ? choice.name : to };
    });
    try {
      const count = await client().Drive(drive).move(pairs, { overwrite });
      for (const { to } of pairs) if (chosen.has(to)) given.add(to);
      if (!overwrite) onMoved?.(pairs);
      return count;
    } catch (cause) {
      throw named(cause, pairs);
    }
  };
  const moved = movedEntries(entries, nameOf);
  const names = filesToMove(drive, moved, nameOf);
  const files = await inBatches(names, control, async (listed, changed) => {
    const files = listed.filter(({ name }) => !given.has(name));
    const kindOf = (file: ChosenName) => choices.get(newName(file, nameOf))?.kind;
    const others = files.filter((file) => !['skip', 'replace'].includes(kindOf(file) ?? ''));
    const replacing = files.filter((file) => kindOf(file) === 'replace');
    changed(await move(others, false));
    changed(await move(replacing, true));
  });
  if (!files.isWhole) return files;
  const markers = await inBatches(chosenMarkers(drive, moved), control, async (folders) => {
    const pairs = folders.map((folder) => ({ from: folder.name, to: newName(folder, nameOf) }));
    if (await moveMarkers(drive, pairs)) onMoved?.(pairs);
  });
  return { ...markers, count: files.count };
}

/** Gives markers of folders other names. Gives whether none of them had been there. */
async function moveMarkers(drive: string, pairs: readonly FileTransfer[]): Promise<boolean> {
  try {
    await client().Drive(drive).move(pairs, { folder: true });
    return true;
  } catch (cause) {
    if (!(cause instanceof BasedriveError) || cause.codes[0]?.code !== 'file_exists') throw cause;
    await client().Drive(drive).move(pairs, { folder: true, overwrite: true });
    return false;
  }
}

/** Moves files and folders back to where they were, the last first. Rejects if a name is taken by now. */
export async function moveBack(drive: string, pairs: readonly FileTransfer[]): Promise<void> {
  const back = pairs.map(({ from, to }) => ({ from: to, to: from })).reverse();
  for (let at = 0; at < back.length; at += maxFiles) {
    const some = back.slice(at, at + maxFiles);
    try {
      await client().Drive(drive).move(some, { folder: true });
    } catch (cause) {
      throw named(cause, some);
    }
  }
}

function movedEntries(entries: readonly Entry[], nameOf: NameOf): readonly Entry[] {
  const moved = entries.filter((entry) => nameOf(entry) !== entry.name);
  // The files would be found again under their new names.
  if (moved.some((entry) => entry.file === undefined && nameOf(entry).startsWith(entry.name)))
    throw new PageError('A folder cannot be moved into itself.');
  return moved;
}

function filesToMove(
  drive: string,
  entries: readonly Entry[],
  nameOf: NameOf,
  signal?: AbortSignal,
): AsyncIterable<ChosenName> {
  return inMoveOrder(entries, nameOf, (prefix) => namesBelow(drive, prefix, signal));
}

/** The failure of a move with the name that it is about, which the service tells by its path: docs/http.md#move-files */
function named(cause: unknown, pairs: readonly FileTransfer[]): unknown {
  const [{ code, path = '' } = { code: undefined }] = cause instanceof BasedriveError ? cause.codes : [];
  const [, at, member] = /^files\[(\d+)\]\.(from|to)$/.exec(path) ?? [];
  const pair = pairs[Number(at)];
  if (pair === undefined) return cause;
  if (code === 'file_exists') return new NameTaken(pair.to);
  const rule = (cause as BasedriveError).errors[0]?.slice(`${path}: `.length);
  return new PageError(`${visible(member === 'to' ? pair.to : pair.from)}: ${rule}`);
}
