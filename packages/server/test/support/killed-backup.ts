import { join } from 'node:path';
import type { BlobStore } from '../../src/engines/blob-store.js';
import { openFsBlobStore } from '../../src/engines/fs/store.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import { takeBackup } from '../../src/store/backup/take-backup.js';

/**
 * Backs up a data folder, and kills its own process before the n-th step: a chunk, a whole blob, or a delete in the
 * place of backups. Says the number of steps when it comes to the end.
 */
const [from = '', to = '', killAt = ''] = process.argv.slice(2);
let steps = 0;

function step(): void {
  if (++steps === Number(killAt)) process.kill(process.pid, 'SIGKILL');
}

async function* withSteps(chunks: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    yield chunk;
    step();
  }
}

const blobs = await openFsBlobStore(to);
const place: BlobStore = {
  ...blobs,
  async write(id, chunks) {
    step();
    const info = await blobs.write(id, withSteps(chunks));
    step();
    return info;
  },
  async delete(ids) {
    step();
    await blobs.delete(ids);
  },
};
const source = {
  items: await openLevelStore({ folder: join(from, 'rows'), create: false }),
  blobs: await openFsBlobStore(join(from, 'blobs')),
};
await takeBackup({
  source,
  place,
  shown: to,
  holdGarbage: () => () => {},
  keepMs: 0,
  verify: false,
  blobsAtOnce: 2,
  listen: () => {},
});
process.stdout.write(String(steps));
process.exit(0);
