import { readSync } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '../../lib/folder.js';
import type { Operation } from '../shared/group-commit.js';
import { batchBytes, isHeaderOf, type LogRecord, logHeaderBytes, recordBehind } from './format/log-format.js';

/**
 * The log that LevelDB writes, followed from outside. It is told of each write, before and after; writes come one
 * at a time.
 */
export interface LevelLog {
  /** Makes room ahead when this write needs more than there is; then it is to be waited for. */
  before(operations: readonly Operation[]): Promise<void> | undefined;
  /**
   * A log that LevelDB has begun with this write is found after a power cut only when its entry in the folder is on
   * stable storage too, which LevelDB leaves to the file system: then there is something to wait for. Rejects with
   * what keeps the folder from being synced.
   */
  after(): Promise<void> | undefined;
  /** Before LevelDB is closed. */
  close(): Promise<void>;
}

/** So much room at a time, at most: as much as the log holds already, so that a small one stays small. */
const mostRoomBytes = 256 * 1024;
const pageBytes = 4096;
/** Zeros have to be written too: room pays when it lasts for so many writes (of 4 KB files, 26 at a time, it costs 4 %). */
const leastWrites = 8;
const zeros = Buffer.alloc(mostRoomBytes);

/**
 * For a LevelDB that was opened in this folder just now: its log's entry is on stable storage then. Rejects with what
 * keeps the folder from being synced.
 *
 * A sync of a file that has grown waits for the file system's own journal too; one of a file whose blocks were
 * there before does not: 0.14 ms instead of 0.24 on ext4, a fifth to two fifths more commits. So the log's next
 * blocks are filled with zeros, which LevelDB's reader takes for room that was made ahead (`kZeroType` in
 * `log_reader.cc`), and which the sync of the next commit takes along. LevelDB writes at its own position, wherever
 * the file ends. The zeros begin behind the next record, and are written while no write is under way: they never
 * meet its bytes. Where no room can be made, it is gone without.
 */
export async function trackLevelLog(folder: string): Promise<LevelLog> {
  let { file, end } = await newestLog(folder);
  /** Up to here the file has its blocks. */
  let roomEnd = end;
  let record: LogRecord;
  const header = Buffer.alloc(logHeaderBytes);

  async function makeRoom(from: number): Promise<void> {
    const most = Math.min(mostRoomBytes, Math.max(from, pageBytes));
    const length = most - ((from + most) % pageBytes);
    try {
      const { bytesWritten } = await file.write(zeros, 0, length, from);
      roomEnd = from + bytesWritten;
    } catch {
      // What the disk has to say, it says to LevelDB.
    }
  }

  /** LevelDB begins another log when its table in memory is full. */
  async function followNext(): Promise<void> {
    const next = await newestLog(folder);
    await file.close();
    ({ file, end } = next);
    roomEnd = end;
  }

  return {
    before(operations) {
      record = recordBehind(end, batchBytes(operations));
      end = record.end;
      const isSmall = (end - record.start) * leastWrites <= mostRoomBytes;
      return isSmall && end > roomEnd ? makeRoom(end) : undefined;
    },
    // In place: the header is at hand at 2 µs, and a thread's answer would keep every writer of the group waiting.
    after() {
      header.fill(0);
      readSync(file.fd, header, 0, logHeaderBytes, record.start);
      return isHeaderOf(record, header) ? undefined : followNext();
    },
    close: () => file.close(),
  };
}

/** The log that LevelDB has begun last, its entry synced. Only LevelDB has written to it: it ends where its file ends. */
async function newestLog(folder: string): Promise<{ file: FileHandle; end: number }> {
  await syncFolder(folder);
  // Names are numbers, which only grow.
  const logs = (await readdir(folder))
    .filter((name) => name.endsWith('.log'))
    .map((name) => ({ name, number: Number.parseInt(name, 10) }));
  const { name } = logs.reduce((last, log) => (log.number > last.number ? log : last));
  const file = await open(join(folder, name), 'r+');
  return { file, end: (await file.stat()).size };
}
