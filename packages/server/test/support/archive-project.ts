import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addressOfSocket, type ProjectAddress } from '../../src/archive/api/address.js';
import { exportProject } from '../../src/archive/export/export-project.js';
import { openFolderTarget } from '../../src/archive/export/folder-target.js';
import { openZipTarget } from '../../src/archive/export/zip-target.js';
import { importProject } from '../../src/archive/import/import-project.js';
import { openSource } from '../../src/archive/import/open-source.js';
import type { ImportReport } from '../../src/archive/import/report.js';
import { readSettings } from '../../src/config/read-settings.js';
import { openFsBlobStore } from '../../src/engines/fs/store.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import { openMemoryBlobStore } from '../../src/engines/memory/blob-store.js';
import type { Store } from '../../src/engines/store.js';
import { withLocalApi } from '../../src/server/local-api.js';

const everything = { bases: undefined, drives: undefined };
const listen = () => {};

/** An empty store in memory, or in a folder that is removed when it is closed. */
export async function openTestStore(kind: 'memory' | 'disk'): Promise<Store & { close(): Promise<void> }> {
  if (kind === 'memory') {
    const items = await openLevelStore({ memory: true });
    return { items, blobs: openMemoryBlobStore(), close: () => items.close() };
  }
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-test-'));
  const items = await openLevelStore({ folder: join(folder, 'rows'), create: true });
  return {
    items,
    blobs: await openFsBlobStore(join(folder, 'blobs')),
    async close() {
      await items.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** Lets `work` reach a project of a store that nobody else serves. */
export async function withTestProject<T>(
  store: Store,
  project: string,
  work: (address: ProjectAddress) => Promise<T>,
): Promise<T> {
  return await withLocalApi(store, readSettings({}, {}), (socket) => work(addressOfSocket(socket, project)));
}

/** Exports everything to a folder, or to an archive if the path ends in `.zip`. */
export async function exportAll(address: ProjectAddress, to: string) {
  const target = to.endsWith('.zip') ? await openZipTarget(to) : await openFolderTarget(to, address.project);
  return await exportProject({ address, target, selection: everything, listen });
}

/** Imports everything; `options` as on the command line. */
export async function importAll(
  address: ProjectAddress,
  from: string,
  options: { readonly onlyNew?: boolean; readonly acceptChanges?: boolean; readonly maxRatio?: number } = {},
): Promise<ImportReport> {
  const { onlyNew = false, acceptChanges = false, maxRatio = 200 } = options;
  const source = await openSource(from, { maxRatio, selection: everything });
  try {
    return await importProject({ address, source, selection: everything, onlyNew, acceptChanges, listen });
  } finally {
    await source.close();
  }
}

/** All files of a folder: their bytes as hexadecimal text, by path. */
export async function filesIn(folder: string): Promise<Map<string, string>> {
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
