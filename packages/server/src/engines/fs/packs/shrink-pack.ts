import { type FileHandle, open } from 'node:fs/promises';
import { readBytes } from '../read-file.js';
import { writeTogether } from '../write-together.js';
import type { PackRecord } from './read-records.js';
import { headerOf } from './record.js';

const copyBytes = 256 * 1024;
/** The new file is synced after every this many bytes: a sync of many more would hold up those of uploads. */
const syncBytes = 4 * 1024 * 1024;

/**
 * Writes a pack anew with holes in place of the records that are gone, so that their room is free and every other record
 * stays where it is. Gives the new file, open and synced. `throwIfStopped` is called before each read; what it throws ends the work.
 * Rejects with the failure of the disk.
 */
export async function writeWithHoles(
  source: number,
  records: readonly PackRecord[],
  path: string,
  throwIfStopped: () => void,
): Promise<FileHandle> {
  const target = await open(path, 'w', 0o600);
  let sinceSync = 0;

  async function write(bytes: Buffer, at: number): Promise<void> {
    await writeTogether(target, [bytes], at);
    sinceSync += bytes.length;
    if (sinceSync < syncBytes) return;
    await target.datasync();
    sinceSync = 0;
  }

  async function copy({ at, lengthBytes }: PackRecord): Promise<void> {
    for (let done = 0; done < lengthBytes; ) {
      throwIfStopped();
      const bytes = await readBytes(source, at + done, Math.min(copyBytes, lengthBytes - done));
      // The last record of a pack may end before its last block does.
      if (bytes.length === 0) return;
      await write(bytes, at + done);
      done += bytes.length;
    }
  }

  try {
    for (const run of runsOf(records)) {
      if (run.state === 'live') await copy(run);
      else await write(headerOf(run), run.at);
    }
    await target.datasync();
    return target;
  } catch (cause) {
    await target.close().catch(() => {});
    throw cause;
  }
}

/** The records, with neighbours that are gone as one hole. What is gone at the end is left out. */
function* runsOf(records: readonly PackRecord[]): Generator<PackRecord> {
  let hole: PackRecord | undefined;
  for (const record of records) {
    if (record.state !== 'live') {
      const begin: PackRecord = hole ?? { ...record, state: 'hole' };
      hole = { ...begin, lengthBytes: record.at + record.lengthBytes - begin.at };
      continue;
    }
    if (hole !== undefined) yield hole;
    hole = undefined;
    yield record;
  }
}
