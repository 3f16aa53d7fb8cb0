import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { ifThere, makeFolder, replaceFile } from '../../../lib/folder.js';
import { memoryShare } from '../../../lib/memory.js';
import type { StoreLocation } from '../../engine.js';
import { type RowDamage, rowsDamaged, StoreMissing } from '../../storage-errors.js';
import { type ComparedTables, createComparedTables, readComparedTables } from '../damage/compared-tables.js';
import { removeFences } from '../damage/fences.js';
import { findDamage, logNumbers, stateOf } from '../damage/inspect.js';
import { readLogEnd } from '../damage/log-end-file.js';
import { salvage } from '../damage/salvage.js';
import { findTableDamage } from '../damage/table-damage.js';
import { logBytesOn } from './disk-room.js';

export interface FolderLocation
  extends Pick<StoreLocation, 'create' | 'acceptDamage' | 'checksWhileOpen' | 'onLoss' | 'onDamage'> {
  readonly folder: string;
}

export type FolderLevel = ClassicLevel<string, Buffer>;

/** A file next to LevelDB's, which ignores it: the rows have had checksums since the first one. */
const allCheckedFile = 'CHECKSUMS';

const mib = 1024 * 1024;
/** LevelDB has up to two of them. Its own default is 4 MiB. */
const leastWriteBuffer = 4 * mib;
const fullWriteBuffer = 12 * mib;
const options = {
  keyEncoding: 'utf8',
  valueEncoding: 'buffer',
  // Small: hot rows are in the row cache, and a base that exceeds both caches finds little in either.
  cacheSize: memoryShare(8 * mib),
} as const;
const longestKeyBytes = 64 * 1024;

/**
 * Inspects all files of a folder before LevelDB is opened there: LevelDB replays its log when it is opened, drops what it
 * cannot read of it, and deletes it; and it compares no checksum of a table, neither when it answers reads nor when it
 * compacts, which gives damaged rows new checksums. Throws `StoreMissing`, `RowsDamaged`, or LevelDB's error
 * (`LEVEL_LOCKED` when another process has the folder).
 */
export async function prepareFolder(location: FolderLocation) {
  const { folder, create, acceptDamage = false, checksWhileOpen = false } = location;
  // LevelDB makes files at any time, with any mode that the umask allows. So the umask of the process, all of whose
  // files are for their owner only, is set once and stays.
  process.umask(0o077);
  const state = await stateOf(folder);
  // LevelDB would create an empty store and delete the tables of the old one.
  if (state === 'headless')
    throw rowsDamaged([{ file: join(folder, 'CURRENT'), problem: 'the file is missing' }]);
  if (state === 'empty' && !create) throw new StoreMissing(`There are no rows in ${folder}`);
  const relies = checksWhileOpen && !acceptDamage;
  const compared = relies ? await comparedBefore(folder) : createComparedTables();
  const damage = state === 'whole' ? await damageOf(folder, compared) : [];
  if (damage.length > 0 && !acceptDamage) throw rowsDamaged(damage);
  if (damage.length > 0) {
    await salvage(folder, damage);
    location.onLoss?.(damage);
  }
  if (acceptDamage) await removeFences(folder);
  if (state === 'empty') await beginAnew(folder);
  return {
    /** Not open yet: `openLevel` opens it. */
    level: await levelOf(folder),
    /** Whether it must be created. */
    isNew: state !== 'whole',
    /** Whether each row in it has a checksum. */
    allChecked: existsSync(join(folder, allCheckedFile)),
    /** The tables that are right. */
    compared,
  };
}

/** The LevelDB of a folder, not opened yet. */
export async function levelOf(folder: string): Promise<FolderLevel> {
  const writeBufferSize = Math.min(
    await logBytesOn(folder),
    Math.max(leastWriteBuffer, memoryShare(fullWriteBuffer)),
  );
  return new ClassicLevel(folder, { ...options, writeBufferSize });
}

/** Opens a LevelDB. Throws its error: `LEVEL_LOCKED` when another process has it open. */
export async function openLevel(level: FolderLevel, createIfMissing = false): Promise<void> {
  await level.open({ createIfMissing });
  growKeyBuffer(level);
}

/** A crash before LevelDB is made leaves a folder that is still empty, or a `CURRENT` that LevelDB cannot open. */
async function beginAnew(folder: string): Promise<void> {
  await makeFolder(folder);
  await rm(join(folder, 'CURRENT'), { force: true });
  await replaceFile(join(folder, allCheckedFile), '1\n', 0o600);
}

/** What was known of the tables when the store was closed. Nothing after a crash: then there is another log. */
async function comparedBefore(folder: string): Promise<ComparedTables> {
  const closed = await readLogEnd(folder);
  const newest = Math.max(...(await logNumbers(folder).catch(() => [])));
  return closed?.number === newest ? await readComparedTables(folder, closed) : createComparedTables();
}

/**
 * Throws LevelDB's error when another process has the store open: its files change, or are deleted, while they are to be
 * read here.
 */
async function damageOf(folder: string, compared: ComparedTables): Promise<readonly RowDamage[]> {
  if ((await ifThere(allDamage(folder, compared)))?.length === 0) return [];
  await checkUnlocked(folder);
  return (await ifThere(allDamage(folder, compared))) ?? (await damageOf(folder, compared));
}

async function allDamage(folder: string, compared: ComparedTables): Promise<readonly RowDamage[]> {
  const damage = [...(await findDamage(folder))];
  const known = new Set(damage.map(({ file }) => file));
  for await (const damaged of findTableDamage(folder, { compared, skipsKnown: true }))
    if (!known.has(damaged.file)) damage.push(damaged);
  return damage;
}

/** LevelDB takes its lock before it finds that the store exists, and then releases it. Throws if the lock is held. */
async function checkUnlocked(folder: string): Promise<void> {
  try {
    await new ClassicLevel(folder, { createIfMissing: false, errorIfExists: true }).open();
  } catch (cause) {
    const { code } = (cause as Error).cause as { code?: string };
    if (code === 'LEVEL_LOCKED') throw cause;
  }
}

/**
 * `getSync` of classic-level 3.0.0 copies a key into its own buffer, and enlarges the buffer if the key fills it. If
 * one byte is left that the next character does not fit into, it does not notice, and looks for a shorter key. So the
 * buffer is made once, for a key longer than any other: the head of a request, 32 KiB unless the operator allows more.
 */
function growKeyBuffer(level: FolderLevel): void {
  level.getSync('x'.repeat(longestKeyBytes));
}
