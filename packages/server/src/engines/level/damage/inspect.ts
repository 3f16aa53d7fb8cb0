import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifThere } from '../../../lib/folder.js';
import { type RowDamage, rowsDamaged } from '../../storage-errors.js';
import { wasChanged } from '../format/log-reader.js';
import { type Manifest, readManifest } from '../format/manifest.js';
import { findLogDamage, type LogFile } from './log-damage.js';
import { readLogEnd } from './log-end-file.js';

export const missing = 'the file is missing';
/** LevelDB refuses the name without the end of its line. */
const currentLine = /^(MANIFEST-\d+)\n$/;
const tableName = /^(\d+)\.ldb$/;
const logName = /^(\d+)\.log$/;

/**
 * Whether a folder holds a LevelDB: `CURRENT`, which names everything else (`whole`), files with rows but no `CURRENT`
 * (`headless`), or neither (`empty`). A LevelDB whose creation was interrupted holds no rows, so it is empty: a power cut
 * may have left `CURRENT` and the first MANIFEST without its content, which LevelDB does not sync.
 */
export async function stateOf(folder: string): Promise<'whole' | 'headless' | 'empty'> {
  const names = (await ifThere(readdir(folder))) ?? [];
  const isWhole = names.includes('CURRENT');
  for (const name of names.filter((entry) => tableName.test(entry) || logName.test(entry))) {
    if ((await stat(join(folder, name))).size > 0) return isWhole ? 'whole' : 'headless';
  }
  return isWhole && !(await isUnfinished(folder)) ? 'whole' : 'empty';
}

/** Whether the MANIFEST is there and has nothing yet. */
async function isUnfinished(folder: string): Promise<boolean> {
  const { manifest, damage } = await openManifest(folder);
  return manifest?.nextFile === 0 && damage.length === 0;
}

/**
 * What is damaged in the files of a LevelDB that is closed, as far as opening reads them: `CURRENT`, the MANIFEST, the
 * logs, and whether all tables are there. LevelDB drops what it cannot read of a log, reports it only in its own `LOG`,
 * and then deletes the log. The end of the newest log may be cut off: a crash does that to a write that was not
 * acknowledged.
 */
export async function findDamage(folder: string): Promise<readonly RowDamage[]> {
  const found = await openManifest(folder);
  if (found.manifest === undefined) return found.damage;
  // What is missing from the logs and tables is only guessed without the first edit.
  if (found.manifest.nextFile === 0) return [{ file: found.file, problem: 'it is cut off' }];
  return [
    ...found.damage,
    ...(await missingTables(folder, found.manifest)),
    ...(await damagedLogs(folder, found.manifest)),
  ];
}

/** The number of the table with this file name; undefined for other files. */
export function tableNumber(name: string): number | undefined {
  const digits = tableName.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The file name of the table with this number. */
export function tableFile(number: number): string {
  return `${padded(number)}.ldb`;
}

/** The same of a log. */
export function logFile(number: number): string {
  return `${padded(number)}.log`;
}

interface FoundManifest {
  readonly file: string;
  /** Undefined when it cannot be found: `damage` says why. */
  readonly manifest: Manifest | undefined;
  readonly damage: readonly RowDamage[];
}

export async function openManifest(folder: string): Promise<FoundManifest> {
  const current = join(folder, 'CURRENT');
  const pointer = await ifThere(readFile(current));
  // Of a LevelDB that is open, everything can still be read and backed up: the file counts when it is opened again.
  if (pointer === undefined) throw rowsDamaged([{ file: current, problem: missing }]);
  const [, name] = currentLine.exec(pointer.toString()) ?? [];
  if (name === undefined) return broken(current, 'it does not name a MANIFEST');
  const file = join(folder, name);
  const source = await ifThere(readFile(file));
  if (source === undefined) return broken(file, missing);
  const manifest = readManifest(source);
  const damage = manifest.faults
    .filter(({ offset, isFollowed }) => isFollowed || wasChanged(source, offset))
    .map(({ offset, problem }) => ({ file, offset, problem }));
  return { file, manifest, damage };
}

function broken(file: string, problem: string): FoundManifest {
  return { file, manifest: undefined, damage: [{ file, problem }] };
}

async function missingTables(folder: string, { tables }: Manifest): Promise<RowDamage[]> {
  const damage: RowDamage[] = [];
  const present = new Set(await readdir(folder));
  for (const [number, { sizeBytes }] of tables) {
    const name = tableFile(number);
    const file = join(folder, name);
    if (!present.has(name)) {
      damage.push({ file, problem: missing });
      continue;
    }
    const { size } = await stat(file);
    if (size !== sizeBytes)
      damage.push({ file, problem: `the file has ${size} bytes instead of ${sizeBytes}` });
  }
  return damage;
}

async function damagedLogs(folder: string, manifest: Manifest): Promise<readonly RowDamage[]> {
  const { logNumber, lastSequence } = manifest;
  // Batches of older logs are in tables.
  const numbers = (await logNumbers(folder)).filter((number) => number >= logNumber);
  const fileOf = (number: number) => join(folder, logFile(number));
  if (logNumber > 0 && !numbers.includes(logNumber)) return [{ file: fileOf(logNumber), problem: missing }];
  const closed = await readLogEnd(folder);
  const logs: LogFile[] = [];
  for (const number of numbers) {
    const closedAt = number === closed?.number && number === numbers.at(-1) ? closed.end : undefined;
    logs.push({ file: fileOf(number), source: await readFile(fileOf(number)), closedAt });
  }
  return findLogDamage(logs, lastSequence);
}

/** The numbers of all logs in a folder, in ascending order: each log has a higher number than those before it. */
export async function logNumbers(folder: string): Promise<number[]> {
  return (await readdir(folder))
    .map((name) => logName.exec(name)?.[1])
    .filter((digits) => digits !== undefined)
    .map(Number)
    .sort((a, b) => a - b);
}

/** As LevelDB writes numbers into names. */
function padded(number: number): string {
  return String(number).padStart(6, '0');
}
