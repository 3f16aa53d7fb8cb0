import { MemoryLevel } from 'memory-level';
import { ChangeRefused, StorageUnavailable } from '../../storage-errors.js';
import { createFences } from '../damage/fences.js';
import { createRowVerifier } from './row-verifier.js';
import type { Level, SyncedDatabase } from './synced-database.js';

/** LevelDB over memory: no write in it can fail. */
export async function openMemoryLevel(): Promise<SyncedDatabase> {
  const verifier = createRowVerifier({ allChecked: true, acceptDamage: false });
  const encodings = { keyEncoding: 'utf8', valueEncoding: 'buffer' } as const;
  const level = new MemoryLevel<string, Buffer>(encodings) as unknown as Level;
  await level.open();
  return {
    verifier,
    fences: createFences(),
    noteCorruption() {},
    current: level,
    opened: async () => level,
    ready: async () => {},
    room: { isShort: false, hasHalf: true, look: async () => {}, noteWrite() {}, giveBack: async () => {} },
    refusal: () => new ChangeRefused('The memory is full'),
    missingRoom: async () => new StorageUnavailable('The memory is full'),
    activity: { reads: 0 },
    write: (operations) => level.batch([...operations]),
    hold: () => () => {},
    noteReader: () => () => {},
    close: () => level.close(),
  };
}
