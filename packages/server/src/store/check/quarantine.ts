import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobStore } from '../../engines/blob-store.js';
import { syncFolder } from '../../lib/folder.js';

/** Where orphans are moved, so that nothing is lost. */
export type Quarantine = ReturnType<typeof createQuarantine>;

/** `{data}/set-aside/{time}`, made for the first orphan. A blob is deleted when its copy is on stable storage. */
export function createQuarantine(dataFolder: string, blobs: BlobStore, nowMs: number) {
  const parent = join(dataFolder, 'set-aside');
  const folder = join(parent, new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, ''));
  let isMade = false;

  async function make(): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const changed of [dataFolder, parent]) await syncFolder(changed);
    isMade = true;
  }

  return {
    folder,
    async take(id: string): Promise<void> {
      if (!isMade) await make();
      const file = await open(join(folder, id), 'w', 0o600);
      try {
        for await (const chunk of blobs.read(id)) await file.writeFile(chunk);
        await file.sync();
      } finally {
        await file.close();
      }
      await syncFolder(folder);
      await blobs.delete([id]);
    },
  };
}
