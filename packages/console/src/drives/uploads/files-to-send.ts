import { type Choices, type Conflict, conflictsOf } from '../names/conflicts.js';
import { takenNames } from '../names/taken-names.js';
import type { ChosenFile } from './chosen-files.js';

/** A file that is to be uploaded. */
export interface FileToSend {
  /** The whole name that it gets in the drive. */
  readonly name: string;
  readonly file: File;
  /** Whether it takes the place of a file that has the name. */
  readonly isReplacing: boolean;
}

/** The chosen files with their names in a folder (`trip/`, or empty for the drive itself). None replaces another. */
export function filesToSend(folder: string, chosen: readonly ChosenFile[]): readonly FileToSend[] {
  return chosen.map(({ path, file }) => ({ name: folder + path, file, isReplacing: false }));
}

/** Those whose names are taken. `others` are names that other files are to get. */
export async function findTaken(
  drive: string,
  files: readonly FileToSend[],
  others: readonly string[],
  signal: AbortSignal,
): Promise<readonly Conflict[]> {
  const names = files.map(({ name }) => name);
  const taken = [...(await takenNames(drive, names, signal))];
  return await conflictsOf(drive, { taken, targets: new Set([...names, ...others]), signal });
}

/** What is to be sent when the user has chosen what becomes of the files whose names are taken. */
export function resolved(files: readonly FileToSend[], choices: Choices): readonly FileToSend[] {
  return files.flatMap((file) => {
    const choice = choices.get(file.name);
    if (choice?.kind === 'skip') return [];
    if (choice?.kind === 'rename') return [{ ...file, name: choice.name }];
    return [{ ...file, isReplacing: choice?.kind === 'replace' }];
  });
}
