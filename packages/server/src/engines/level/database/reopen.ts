import type { OnDamage } from '../../engine.js';
import { StorageUnavailable } from '../../storage-errors.js';
import type { DamageWatch } from '../damage/damage-watch.js';
import { salvage } from '../damage/salvage.js';
import { deleteStrayTables, hasFailedAtTable } from '../damage/stray-tables.js';
import { bytesToOpen, isDiskFull } from './disk-room.js';
import { type FolderRows, missingRoom, openRowsAgain, readLevel, unavailable } from './folder-rows.js';
import type { Readers } from './readers.js';
import { trackLevelLog } from './track-log.js';

/** Reopens LevelDB after a failed write. */
export type Reopener = ReturnType<typeof createReopener>;

export interface ReopenerDependencies {
  readonly rows: FolderRows;
  readonly watch: DamageWatch;
  readonly readers: Readers;
  readonly checkHome: () => void;
  readonly onDamage: OnDamage | undefined;
}

const intervalMs = 250;
const waitForReadersMs = 5000;

export function createReopener(dependencies: ReopenerDependencies) {
  const { rows, readers, checkHome } = dependencies;
  let running: Promise<void> | undefined;
  let isStopped = false;
  let lastMs = 0;
  /** Why it could not be opened again. */
  let lastRefusal: StorageUnavailable | undefined;
  /** The bytes of deleted tables that LevelDB still has open. */
  let strayBytes = 0;

  async function reopen(): Promise<void> {
    const { folder, damage, room } = rows;
    if (damage !== undefined) throw new StorageUnavailable(damage.message, { cause: damage });
    if (isStopped || performance.now() - lastMs < intervalMs)
      throw lastRefusal ?? unavailable(rows.folder, rows.failure?.cause);
    try {
      checkHome();
      strayBytes += await deleteStrays(rows);
      // Opening writes the log's rows into a table. Without room for it, LevelDB stays open, because it can still be read.
      await room.make((await bytesToOpen(folder)) - strayBytes);
      // A disk that cannot sync this cannot be used to reopen LevelDB either.
      await rows.log?.cutOff();
      rows.isReopening = true;
      await readers.gone(waitForReadersMs);
      await readLevel(rows).close();
      strayBytes = 0;
      await openClosed(dependencies);
      rows.failure = undefined;
      lastRefusal = undefined;
    } catch (cause) {
      lastRefusal = await refusalFor(rows, cause);
      throw lastRefusal;
    } finally {
      rows.isReopening = false;
      lastMs = performance.now();
    }
  }

  return {
    /** Callers share it. Rejects with `StorageUnavailable`; reads continue if they worked before. */
    reopen(): Promise<void> {
      running ??= reopen().finally(() => {
        running = undefined;
      });
      return running;
    },
    /** A write has failed: the next call need not wait. */
    noteFailure(): void {
      lastMs = 0;
      lastRefusal = undefined;
    },
    /** No call opens it any more. */
    stop(): void {
      isStopped = true;
    },
  };
}

/** The error for a change that would be taken if there were room. */
async function refusalFor(rows: FolderRows, cause: unknown): Promise<StorageUnavailable> {
  const isForRoom = !(cause instanceof StorageUnavailable) && (rows.room.isShort || isDiskFull(cause));
  return isForRoom ? await missingRoom(rows) : unavailable(rows.folder, cause);
}

/** Deletes tables that LevelDB occupies in vain. Gives the bytes that closing it frees. */
async function deleteStrays(rows: FolderRows): Promise<number> {
  const { folder, view, failure } = rows;
  if (readLevel(rows).status !== 'open') return 0;
  if (view === undefined && !hasFailedAtTable(failure?.cause)) return 0;
  const bytes = await deleteStrayTables(folder);
  // LevelDB itself is closed while there is a view, so their room is free already.
  return view === undefined ? bytes : 0;
}

async function openClosed(dependencies: ReopenerDependencies): Promise<void> {
  const { rows } = dependencies;
  if (isCorruption(rows.failure?.cause)) await replaceDamagedTables(dependencies);
  // Closing has written what LevelDB still had in a buffer of the failed write.
  await rows.log?.cutOff();
  await rows.view?.close();
  rows.view = undefined;
  await openRowsAgain(rows);
  rows.isAhead = false;
  // From now on LevelDB writes tables again: nothing that it has begun is a stray, even if what follows fails.
  rows.failure = { cause: undefined };
  const next = await trackLevelLog(rows.folder);
  await rows.log?.close();
  rows.log = next;
}

/** Compaction cannot read a damaged block, and LevelDB takes no more writes then. What is lost is fenced off. */
async function replaceDamagedTables({ rows, watch, onDamage }: ReopenerDependencies): Promise<void> {
  for await (const place of watch.find()) onDamage?.(place);
  if (rows.damage !== undefined || watch.inTables.length === 0) return;
  await salvage(rows.folder, watch.inTables);
  watch.forgetTables();
}

function isCorruption(cause: unknown): boolean {
  return cause instanceof Error && (cause as { code?: string }).code === 'LEVEL_CORRUPTION';
}
