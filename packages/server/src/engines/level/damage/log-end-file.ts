import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../../lib/folder.js';

// The file `CLOSED` next to LevelDB's files, which LevelDB ignores: the number of the last log, and where its last record
// ends. It is written when the store is closed. LevelDB begins a new log whenever it is opened, so an old file says nothing
// of that log.

const logEndFile = 'CLOSED';

export interface LogEnd {
  readonly number: number;
  readonly end: number;
}

export async function writeLogEnd(folder: string, { number, end }: LogEnd): Promise<void> {
  await replaceFile(join(folder, logEndFile), `${number} ${end}\n`, 0o600);
}

/** Undefined when the store was never closed properly, or the file cannot be read. */
export async function readLogEnd(folder: string): Promise<LogEnd | undefined> {
  const text = await readFile(join(folder, logEndFile), 'utf8').catch(() => '');
  const [, number, end] = /^(\d{1,15}) (\d{1,15})\n$/.exec(text) ?? [];
  return number === undefined ? undefined : { number: Number(number), end: Number(end) };
}
