import { fileURLToPath } from 'node:url';
import { makeFolder } from '../../lib/folder.js';
import type { BlobEngine } from '../engine.js';

/** Files in a folder: the blob store of one machine, or of a disk that several machines share. */
export const fsEngine: BlobEngine = {
  schemes: ['file:'],
  isRemote: false,
  urlForm: 'the path of a folder',
  variables: [],
  urlProblem: () => undefined,
  async open({ url, isAlone }) {
    const { openFsBlobStore } = await import('./store.js');
    const folder = fileURLToPath(url);
    await makeFolder(folder);
    return await openFsBlobStore(folder, { isAlone: isAlone ?? false });
  },
};
