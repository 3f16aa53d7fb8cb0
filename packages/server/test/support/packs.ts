import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'node:test';
import { openPacks, type Packs } from '../../src/engines/fs/packs/packs.js';
import { syncFolder } from '../../src/lib/folder.js';
import { patterned } from '../conformance/blob-store-suite.js';

export const blobBytes = 20_000;
/** Ten blobs with their headers fill a pack. */
export const packBytes = 10 * 20_480;

export const bytesOf = (n: number) => patterned(blobBytes, n);

/** Packs in a folder of each test. */
export function usePacks() {
  const disk = {
    root: '',
    folder: '',
    packs: undefined as unknown as Packs,
    /** Syncs a folder. */
    syncs: syncFolder,
    /** The monotonic clock. */
    nowMs: 0,
  };

  beforeEach(async () => {
    disk.root = await mkdtemp(join(tmpdir(), 'basedrive-packs-'));
    disk.folder = join(disk.root, 'packs');
    await mkdir(disk.folder);
    disk.syncs = syncFolder;
    disk.nowMs = 0;
    disk.packs = await opened();
  });
  afterEach(async () => {
    await disk.packs.close();
    await rm(disk.root, { recursive: true });
  });

  const opened = (isAlone = true, bytes = packBytes) =>
    openPacks({
      folder: disk.folder,
      packBytes: bytes,
      clock: () => 1_800_000_000_000,
      monotonicMs: () => disk.nowMs,
      isAlone,
      makeFolder: () => undefined,
      syncFolder: (path) => disk.syncs(path),
    });
  async function listed(): Promise<string[]> {
    const found: string[] = [];
    for await (const { id } of disk.packs.list()) found.push(id);
    return found.sort();
  }
  /** The folder of the packs: its name is the key of their ids. */
  const keyFolder = async () => join(disk.folder, (await readdir(disk.folder))[0] ?? '');
  const pathOf = async (name = '') => join(await keyFolder(), name);
  const files = async () => (await readdir(await keyFolder())).sort();

  return {
    disk,
    opened,
    listed,
    keyFolder,
    pathOf,
    files,
    async reopen(): Promise<void> {
      await disk.packs.close();
      disk.packs = await opened();
    },
    async addAll(count: number): Promise<string[]> {
      return await Promise.all(
        Array.from({ length: count }, (_, n) => disk.packs.append([bytesOf(n)], blobBytes)),
      );
    },
    async streamed(id: string): Promise<Buffer> {
      const chunks: Buffer[] = [];
      for await (const chunk of disk.packs.read(id, undefined)) chunks.push(Buffer.from(chunk));
      return Buffer.concat(chunks);
    },
    async expectKept(ids: readonly string[], kept: (n: number) => boolean): Promise<void> {
      for (const [n, id] of ids.entries()) {
        const bytes = await disk.packs.readWhole(id);
        if (kept(n)) assert.ok(bytes?.equals(bytesOf(n)), `blob ${n} is kept`);
        else assert.equal(bytes, undefined, `blob ${n} is gone`);
      }
      assert.deepEqual(await listed(), ids.filter((_, n) => kept(n)).sort());
    },
    async diskBytes(): Promise<number> {
      let blocks = 0;
      for (const name of await files()) blocks += (await stat(await pathOf(name))).blocks;
      return blocks * 512;
    },
  };
}
