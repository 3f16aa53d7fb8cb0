import { readSync } from 'node:fs';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ifThere, syncFolder } from '../../../lib/folder.js';
import type { Operation } from '../../shared/group-commit.js';
import type { RowDamage } from '../../storage-errors.js';
import { logFile, logNumbers } from '../damage/inspect.js';
import { type LogEnd, writeLogEnd } from '../damage/log-end-file.js';
import { batchBytes, isHeaderOf, type LogRecord, logHeaderBytes, nextRecord } from '../format/log-format.js';
import { readLog } from '../format/log-reader.js';

/**
 * Tracks the log that LevelDB writes: where the last accepted write ends in it. Writes come one at a time; `before` and
 * `after` are called around each.
 */
export interface LevelLog {
  /** Where the last accepted write ends in it. */
  readonly bytes: number;
  /** Preallocates space if the write needs more than there is. Wait for the promise, if there is one. */
  before(operations: readonly Operation[]): Promise<void> | undefined;
  /**
   * Accepts the write. LevelDB does not sync the folder after it has created a log, so a power cut could lose the whole
   * log. If LevelDB has begun a new log with this write, this gives a promise, which resolves when the folder is
   * synced. If the folder cannot be synced, it rejects, and the write is not accepted.
   */
  after(): Promise<void> | undefined;
  /** Damage in the writes that were accepted. */
  damage(): Promise<readonly RowDamage[]>;
  /** Removes what was written after the last accepted write, and syncs. */
  cutOff(): Promise<void>;
  /** Records where the log of a closed LevelDB ends, and gives it: if it is shorter later, no crash was the cause. */
  recordEnd(): Promise<LogEnd>;
  /** Call it when LevelDB was closed or has begun another log. */
  close(): Promise<void>;
}

interface OpenLog {
  readonly number: number;
  readonly file: FileHandle;
  /** Where the last accepted write ends, in bytes. */
  readonly end: number;
}

/** Space is preallocated in steps of as much as the log holds, up to this: a small log stays small. */
const maxRoomBytes = 256 * 1024;
const pageBytes = 4096;
/**
 * Writing zeros has a cost: it pays off if they last for this many writes (with 4 KB files, 26 at a time, it costs 4
 * %).
 */
const minWritesInRoom = 8;
const zeros = Buffer.alloc(maxRoomBytes);

/**
 * Tracks the log of a LevelDB that was just opened in this folder. When it resolves, the log's entry in the folder is
 * on stable storage. Rejects if the folder cannot be synced.
 *
 * The sync of a file that has grown waits for the file system's journal too; the sync of one whose blocks exist does
 * not: 0.14 ms instead of 0.24 on ext4, a fifth to two fifths more commits. So the next blocks of the log are filled
 * with zeros, which LevelDB's reader recognises as preallocated space (`kZeroType` in `log_reader.cc`), and which the
 * sync of the next commit includes. LevelDB writes at its own position, wherever the file ends. The zeros begin after
 * the next record and are written while no write is in progress, so the two never meet. If space cannot be
 * preallocated, the write continues without it.
 */
export async function trackLevelLog(folder: string): Promise<LevelLog> {
  let log = await newestLog(folder);
  /** The end of the allocated blocks of the file. */
  let roomEnd = log.end;
  let record: LogRecord;
  const header = Buffer.alloc(logHeaderBytes);

  async function makeRoom(from: number): Promise<void> {
    const most = Math.min(maxRoomBytes, Math.max(from, pageBytes));
    const length = most - ((from + most) % pageBytes);
    try {
      const { bytesWritten } = await log.file.write(zeros, 0, length, from);
      roomEnd = from + bytesWritten;
    } catch {
      // LevelDB's own write reports what is wrong with the disk.
    }
  }

  /** LevelDB begins another log when its table in memory is full. */
  async function followNext(): Promise<void> {
    const next = await newestLog(folder);
    await log.file.close();
    log = next;
    roomEnd = log.end;
  }

  return {
    get bytes() {
      return log.end;
    },

    before(operations) {
      record = nextRecord(log.end, batchBytes(operations));
      const isSmall = (record.end - record.start) * minWritesInRoom <= maxRoomBytes;
      return isSmall && record.end > roomEnd ? makeRoom(record.end) : undefined;
    },

    // Synchronous: reading the header takes 2 µs, and a call of the thread pool would delay every writer of the group.
    after() {
      header.fill(0);
      readSync(log.file.fd, header, 0, logHeaderBytes, record.start);
      if (!isHeaderOf(record, header)) return followNext();
      log = { ...log, end: record.end };
      return undefined;
    },

    async damage() {
      const { number, end } = log;
      const file = join(folder, logFile(number));
      // LevelDB may have begun another since, and deleted this one.
      const source = (await ifThere(readFile(file))) ?? Buffer.alloc(0);
      const { faults } = readLog(source.subarray(0, end));
      return faults.map(({ offset, problem }) => ({ file, offset, problem }));
    },

    async cutOff() {
      // A log that LevelDB has begun since holds nothing that was accepted.
      for (const number of await logNumbers(folder)) {
        if (number > log.number) await truncate(join(folder, logFile(number)));
      }
      if ((await log.file.stat()).size > log.end) await log.file.truncate(log.end);
      await log.file.datasync();
    },

    async recordEnd() {
      await writeLogEnd(folder, log);
      return log;
    },

    close: () => log.file.close(),
  };
}

/**
 * The log that LevelDB has begun last, its entry synced. Only LevelDB has written to it: it ends where its file ends.
 */
async function newestLog(folder: string): Promise<OpenLog> {
  await syncFolder(folder);
  const number = Math.max(...(await logNumbers(folder)));
  const file = await open(join(folder, logFile(number)), 'r+');
  return { number, file, end: (await file.stat()).size };
}

async function truncate(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.truncate(0);
    await file.datasync();
  } finally {
    await file.close();
  }
}
