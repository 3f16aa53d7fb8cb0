import { mkdir } from 'node:fs/promises';
import { openPacks } from '../../src/engines/fs/packs/packs.js';
import { syncFolder } from '../../src/lib/folder.js';
import { patterned } from '../conformance/blob-store-suite.js';

/**
 * Adds blobs to packs, deletes most of them and gives their room back, until it is killed. Says each id when it is added
 * (`+`), before it is deleted (`?`) and afterwards (`-`), with the number of its bytes' pattern.
 */
const [folder = '', seed = ''] = process.argv.slice(2);
await mkdir(folder, { recursive: true });
const packs = await openPacks({
  folder,
  packBytes: 300_000,
  clock: Date.now,
  isAlone: true,
  makeFolder: () => undefined,
  syncFolder,
});
const say = (line: string) => process.stdout.write(`${line}\n`);
const kept: string[] = [];
let next = Number(seed);

async function add(): Promise<void> {
  for (;;) {
    const n = next++;
    const size = 1000 + ((n * 7919) % 60_000);
    const id = await packs.append([patterned(size, n)], size);
    kept.push(id);
    say(`+ ${id} ${n}`);
  }
}

async function remove(): Promise<void> {
  for (;;) {
    while (kept.length < 20) await new Promise((resolve) => setTimeout(resolve, 1));
    const ids = kept.splice(0, 10).filter((_, n) => n % 10 !== 3);
    for (const id of ids) say(`? ${id}`);
    await packs.delete(ids);
    for (const id of ids) say(`- ${id}`);
  }
}

async function reclaim(): Promise<void> {
  for (;;) {
    await packs.reclaim();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

await Promise.all([add(), add(), add(), add(), remove(), reclaim()]);
