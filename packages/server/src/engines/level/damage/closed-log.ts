import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../../lib/folder.js';

// The file `CLOSED` next to LevelDB's files, which LevelDB ignores: the number of the last log and where its last record
// ends. LevelDB begins a new log whenever it is opened, so the file is about a store that has been closed since.

const sealFile = 'CLOSED';

export interface ClosedLog {
  readonly number: number;
  readonly end: number;
}

export async function writeSeal(folder: string, { number, end }: ClosedLog): Promise<void> {
  await replaceFile(join(folder, sealFile), `${number} ${end}\n`, 0o600);
}

/** Undefined when the store was never closed properly, or the file cannot be read. */
export async function readSeal(folder: string): Promise<ClosedLog | undefined> {
  const text = await readFile(join(folder, sealFile), 'utf8').catch(() => '');
  const [, number, end] = /^(\d{1,15}) (\d{1,15})\n$/.exec(text) ?? [];
  return number === undefined ? undefined : { number: Number(number), end: Number(end) };
}
