import { constants } from 'node:fs';
import { copyFile, readFile } from 'node:fs/promises';
import { isSystemError, replaceFile } from '../../lib/folder.js';
import type { RowDamage } from '../storage-errors.js';
import { readLog } from './format/log-reader.js';
import { writeLog } from './format/log-writer.js';
import { batchHeader, isBatchNear } from './log-damage.js';

/**
 * Rewrites each damaged log with all of its records that can be read, and keeps the damaged one beside it, with
 * `.damaged` after its name. Otherwise LevelDB would drop every record between a fault and the end of its block of 32
 * KiB.
 */
export async function salvageLogs(damage: readonly RowDamage[]): Promise<void> {
  const logs = new Set(damage.map(({ file }) => file).filter((file) => file.endsWith('.log')));
  for (const file of logs) {
    const source = await readFile(file).catch(ignoreCode('ENOENT'));
    if (source === undefined) continue;
    // If the copy exists, it is the log as it was before an earlier attempt.
    await copyFile(file, `${file}.damaged`, constants.COPYFILE_EXCL).catch(ignoreCode('EEXIST'));
    await replaceFile(file, writeLog(readableBatches(source)), 0o600);
  }
}

function readableBatches(source: Buffer): Buffer[] {
  const [first] = readLog(source).records;
  const sequence = (first && batchHeader(first.bytes)?.sequence) ?? 0;
  const { records } = readLog(source, (bytes) => isBatchNear(bytes, sequence));
  return records.map(({ bytes }) => bytes);
}

function ignoreCode(code: string): (cause: unknown) => undefined {
  return (cause) => {
    if (!isSystemError(cause) || cause.code !== code) throw cause;
    return undefined;
  };
}
