import type { BlobEngine, ItemEngine } from '../engine.js';

const inMemory = {
  schemes: ['memory:'],
  isRemote: false,
  urlForm: 'memory:',
  variables: [],
  urlProblem: () => undefined,
};

/** Rows in memory: the code of the LevelDB engine over `memory-level`. */
export const memoryItemEngine: ItemEngine = {
  ...inMemory,
  async open({ onGroup }) {
    const { openLevelStore } = await import('../level/store.js');
    return await openLevelStore({ memory: true }, onGroup);
  },
};

/** Bytes in memory. */
export const memoryBlobEngine: BlobEngine = {
  ...inMemory,
  async open() {
    const { openMemoryBlobStore } = await import('./blob-store.js');
    return openMemoryBlobStore();
  },
};
