import { join } from 'node:path';
import { openFsBlobStore } from '../../src/engines/fs/store.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import type { Store } from '../../src/engines/store.js';
import { copyStore } from '../../src/store/copy/copy-store.js';

/**
 * Copies one data folder to another, and kills its own process before the n-th write to the destination. Says the
 * number of writes when it comes to the end.
 */
const [from = '', to = '', killAt = ''] = process.argv.slice(2);
let writes = 0;

function step(): void {
  if (++writes === Number(killAt)) process.kill(process.pid, 'SIGKILL');
}

async function open(folder: string): Promise<Store> {
  return {
    items: await openLevelStore({ folder: join(folder, 'rows'), create: true }),
    blobs: await openFsBlobStore(join(folder, 'blobs')),
  };
}

const source = await open(from);
const { items, blobs } = await open(to);
const destination: Store = {
  items: {
    ...items,
    transact(...given) {
      step();
      return items.transact(...given);
    },
  },
  blobs: {
    ...blobs,
    write(id, chunks) {
      step();
      return blobs.write(id, withSteps(chunks));
    },
    delete(ids) {
      step();
      return blobs.delete(ids);
    },
  },
};

async function* withSteps(chunks: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    yield chunk;
    step();
  }
}

const options = { overwrite: false, verify: false, blobsAtOnce: 2, listen: () => {} };
await copyStore({ source, destination, ...options });
process.stdout.write(String(writes));
process.exit(0);
