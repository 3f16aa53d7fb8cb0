import { constants } from 'node:fs';
import { copyFile, open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ifThere, isCode, replaceFile } from '../../../lib/folder.js';
import type { RowDamage } from '../../storage-errors.js';
import { readLog } from '../format/log-reader.js';
import { writeLog } from '../format/log-writer.js';
import { type TableEntry, tablesEdit } from '../format/manifest.js';
import { salvageTable } from '../format/table-salvage.js';
import { openManifest, tableFile } from './inspect.js';
import { batchHeader, isBatchNear } from './log-damage.js';

/**
 * Makes damaged rows such that LevelDB opens them and shows nothing of what is damaged. Each damaged file is kept, with
 * `.damaged` after its name. A damaged list of tables (MANIFEST) is left as it is: LevelDB does not open it.
 */
export async function salvage(folder: string, damage: readonly RowDamage[]): Promise<void> {
  await salvageLogs(damage);
  await salvageTables(folder, damage);
}

/**
 * Rewrites each damaged log with all of its records that can be read, and keeps the damaged one next to it, with
 * `.damaged` after its name. Otherwise LevelDB would drop every record between a fault and the end of its block of 32
 * KiB.
 */
async function salvageLogs(damage: readonly RowDamage[]): Promise<void> {
  const logs = new Set(damage.map(({ file }) => file).filter((file) => file.endsWith('.log')));
  for (const file of logs) {
    const source = await keep(file);
    if (source === undefined) continue;
    await replaceFile(file, writeLog(readableBatches(source)), 0o600);
  }
}

/**
 * Replaces each damaged table with one of its readable blocks, and takes those that are missing out of the list. Rows of
 * a lost block are gone; if LevelDB still holds an older version of one, that shows again.
 */
async function salvageTables(folder: string, damage: readonly RowDamage[]): Promise<void> {
  const { file, manifest, damage: inManifest } = await openManifest(folder);
  if (manifest === undefined || inManifest.length > 0) return;
  const files = new Set(damage.map((place) => place.file));
  const removed = new Map<number, TableEntry>();
  const added = new Map<number, TableEntry>();
  const numbers = (await readdir(folder)).map((name) => Number.parseInt(name, 10)).filter(Number.isInteger);
  let next = Math.max(manifest.nextFile, ...numbers.map((number) => number + 1));
  let isMovingLevel0 = false;
  for (const [number, entry] of [...manifest.tables].sort(([a], [b]) => a - b)) {
    const present = join(folder, tableFile(number));
    const isDamaged = files.has(present);
    // In level 0 the table with the highest number is the newest: those after a new one get new numbers, too.
    if (!isDamaged && !(isMovingLevel0 && entry.level === 0)) continue;
    isMovingLevel0 ||= entry.level === 0;
    removed.set(number, entry);
    const target = join(folder, tableFile(next));
    if (isDamaged) {
      const source = await keep(present);
      const rest = source && salvageTable(source);
      if (rest === undefined) continue;
      await replaceFile(target, rest, 0o600);
      added.set(next, { ...entry, sizeBytes: rest.length });
    } else {
      await copyFile(present, target, constants.COPYFILE_FICLONE);
      await syncFile(target);
      added.set(next, entry);
    }
    next++;
  }
  if (removed.size === 0) return;
  const edit = tablesEdit(removed, added, next);
  await replaceFile(file, writeLog([...manifest.records, edit]), 0o600);
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Keeps a copy of a damaged file, and gives its bytes; undefined if there is no such file. */
async function keep(file: string): Promise<Buffer | undefined> {
  const source = await ifThere(readFile(file));
  // If the copy exists, it is the file as it was before an earlier attempt.
  if (source !== undefined) {
    await copyFile(file, `${file}.damaged`, constants.COPYFILE_EXCL).catch((cause) => {
      if (!isCode(cause, 'EEXIST')) throw cause;
    });
  }
  return source;
}

function readableBatches(source: Buffer): Buffer[] {
  const [first] = readLog(source).records;
  const sequence = (first && batchHeader(first.bytes)?.sequence) ?? 0;
  const { records } = readLog(source, (bytes) => isBatchNear(bytes, sequence));
  return records.map(({ bytes }) => bytes);
}
