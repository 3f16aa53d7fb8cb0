import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ifThere, replaceFile } from '../../../lib/folder.js';
import type { KeySpan } from './fences.js';

// The file `DAMAGED` next to LevelDB's files, which LevelDB ignores: the fences. Compaction may write the rows of a
// damaged place into another table, where nothing shows any more that there was damage. A line for each, its two keys in
// base64.

const fenceFile = 'DAMAGED';

export async function writeFences(folder: string, spans: readonly KeySpan[]): Promise<void> {
  const lines = spans.map(({ from, to }) => `${from.toString('base64')} ${to.toString('base64')}\n`);
  await replaceFile(join(folder, fenceFile), lines.join(''), 0o600);
}

export async function readFences(folder: string): Promise<KeySpan[]> {
  const text = (await ifThere(readFile(join(folder, fenceFile), 'utf8'))) ?? '';
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [from = '', to = ''] = line.split(' ');
      return { from: Buffer.from(from, 'base64'), to: Buffer.from(to, 'base64') };
    });
}

/** The operator has accepted that what was damaged is lost. */
export async function removeFences(folder: string): Promise<void> {
  await rm(join(folder, fenceFile), { force: true });
}
