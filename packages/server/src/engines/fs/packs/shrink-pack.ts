import { type FileHandle, open } from 'node:fs/promises';
import { readBytes } from '../read-file.js';
import { headerOf } from './slot.js';
import type { Slot } from './walk-slots.js';

const copyBytes = 256 * 1024;

/**
 * Writes a pack anew with holes in place of the slots that are gone, so that their room is free and every other slot
 * stays in its place. Gives the new file, open and not yet synced. `goOn` is called between two reads; what it throws ends
 * the work. Rejects with the failure of the disk.
 */
export async function writeWithHoles(
  source: number,
  slots: readonly Slot[],
  path: string,
  goOn: () => void,
): Promise<FileHandle> {
  const target = await open(path, 'w', 0o600);
  try {
    for (const run of runsOf(slots)) {
      if (run.state === 'live') await copyBetween(source, target, run, goOn);
      else await target.write(headerOf(run), 0, null, run.at);
    }
    return target;
  } catch (cause) {
    await target.close().catch(() => {});
    throw cause;
  }
}

/** The slots, with neighbours that are gone as one hole. What is gone at the end is left out. */
function* runsOf(slots: readonly Slot[]): Generator<Slot> {
  let hole: Slot | undefined;
  for (const slot of slots) {
    if (slot.state !== 'live') {
      const begin: Slot = hole ?? { ...slot, state: 'hole' };
      hole = { ...begin, slotBytes: slot.at + slot.slotBytes - begin.at };
      continue;
    }
    if (hole !== undefined) yield hole;
    hole = undefined;
    yield slot;
  }
}

async function copyBetween(
  source: number,
  target: FileHandle,
  { at, slotBytes }: Slot,
  goOn: () => void,
): Promise<void> {
  for (let done = 0; done < slotBytes; ) {
    goOn();
    const bytes = await readBytes(source, at + done, Math.min(copyBytes, slotBytes - done));
    // The last slot of a pack may end before its last block does.
    if (bytes.length === 0) return;
    await target.write(bytes, 0, bytes.length, at + done);
    done += bytes.length;
  }
}
