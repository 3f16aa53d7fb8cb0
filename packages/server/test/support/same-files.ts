import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** All files of a folder: their bytes as hexadecimal text, by path. */
async function filesIn(folder: string): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) files.set(path.slice(folder.length + 1), (await readFile(path)).toString('hex'));
  }
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Throws unless both folders hold the same files with the same bytes. */
export async function assertSameFiles(actual: string, expected: string): Promise<void> {
  assert.deepEqual(await filesIn(actual), await filesIn(expected));
}
