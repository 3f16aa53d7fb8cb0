import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { ItemStore } from '../../src/engines/item-store.js';
import { openLevelStore } from '../../src/engines/level/store.js';

export const space = 'base/demo/rows';

/** An empty folder that goes when the test ends. */
export async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-level-'));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

export function openStore(folder: string, acceptDamage = false): Promise<ItemStore> {
  return openLevelStore({ folder, create: false, acceptDamage });
}

/** Makes a store with rows of these sizes, one after the other, and closes it: all of them are in its log. */
export async function closedRows(folder: string, sizes: readonly number[]): Promise<Map<string, string>> {
  const store = await openLevelStore({ folder, create: true });
  const rows = new Map<string, string>();
  for (const [n, size] of sizes.entries()) {
    const key = `k${String(n).padStart(5, '0')}`;
    // Text that does not compress well, so that tables have many blocks.
    const text = Array.from({ length: size }, (_, at) => ((at * 7919 + n * 104_729) % 36).toString(36)).join(
      '',
    );
    await store.transact(space, [], () => ({ puts: [{ key, value: Buffer.from(text) }], result: undefined }));
    rows.set(key, text);
  }
  await store.close();
  return rows;
}

/** The same as a process leaves it that is killed. */
export async function storedRows(folder: string, sizes: readonly number[]): Promise<Map<string, string>> {
  const rows = await closedRows(folder, sizes);
  await asAfterCrash(folder);
  return rows;
}

export async function readRows(store: ItemStore): Promise<Map<string, string>> {
  const rows = new Map<string, string>();
  for await (const batch of store.scan(space))
    for (const { key, value } of batch) rows.set(key, value.toString());
  return rows;
}

/** The files of LevelDB whose names end so, in the order of their numbers. */
export async function filesOf(folder: string, ending: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(ending)).sort();
  return names.map((name) => join(folder, name));
}

export async function newestLog(folder: string): Promise<string> {
  return (await filesOf(folder, '.log')).at(-1) ?? '';
}

export async function changeFile(file: string, change: (bytes: Buffer) => Buffer | undefined): Promise<void> {
  const bytes = await readFile(file);
  await writeFile(file, change(bytes) ?? bytes);
}

/** Takes away what only a store that was closed in good order has. */
export async function asAfterCrash(folder: string): Promise<void> {
  await rm(join(folder, 'CLOSED'), { force: true });
}

export async function copyOf(t: TestContext, folder: string): Promise<string> {
  for (;;) {
    const copy = await temporaryFolder(t);
    try {
      await cp(folder, copy, { recursive: true });
      return copy;
    } catch (cause) {
      // In a folder that is open, LevelDB deletes a table when it has written it anew: then the copy begins again.
      if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    }
  }
}

const tableSizes = Array.from({ length: 1200 }, (_, n) => (n * 37) % 900);

/** A closed store whose rows are in one table. Opening it writes the log's rows into the table. */
export async function rowsInTable(t: TestContext) {
  const folder = await temporaryFolder(t);
  const rows = await storedRows(folder, tableSizes);
  await (await openStore(folder)).close();
  const [table = ''] = await filesOf(folder, '.ldb');
  return { folder, rows, table, bytes: await readFile(table) };
}

/** The bytes with one bit of this place flipped. */
export function flipped(bytes: Buffer, place: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[place] = (changed[place] as number) ^ 4;
  return changed;
}
