// A program for a small disk of its own, whose folder is its argument: prints what a read gives that waits while LevelDB is opened
// again, and the disk becomes full before it is open.
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { ItemStore } from '../../src/engines/item-store.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import { space } from './level-folder.js';

const [, , disk = ''] = process.argv;
const filler = join(disk, 'filler');

function fillDisk(): void {
  const file = openSync(filler, 'w');
  try {
    for (;;) writeSync(file, Buffer.alloc(4096));
  } catch {
    closeSync(file);
  }
}

const put = (store: ItemStore, key: string) =>
  store.transact(space, [], () => ({
    puts: [{ key, value: Buffer.alloc(100_000, key) }],
    result: undefined,
  }));

const store = await openLevelStore({ folder: join(disk, 'rows'), create: true });
for (const key of ['a', 'b']) await put(store, key);
fillDisk();
let isRefused = false;
for (let n = 0; n < 100 && !isRefused; n++) await put(store, `c${n}`).catch(() => (isRefused = true));
rmSync(filler);
// For a second, it takes the disk to be full still.
while ((await store.refusal?.()) !== undefined) await wait(50);
// LevelDB is not closed while somebody reads it.
const scan = store.scan(space)[Symbol.asyncIterator]();
await scan.next();
const reopened = Promise.resolve(store.ready?.()).then(
  () => 'opened',
  () => 'not opened',
);
await wait(100);
fillDisk();
const read = Promise.resolve(store.get(space, 'b')).then(
  (value) => `${value?.length} bytes`,
  (cause: Error) => cause.message,
);
await scan.return?.();
process.stdout.write(`${isRefused}, ${await reopened}, ${await read}\n`);
process.exit();
