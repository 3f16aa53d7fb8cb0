import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type BaseService, createBaseService } from '../../src/base/service.js';
import { isCounterKey } from '../../src/drive/counted-files.js';
import { createDriveService, type DriveService } from '../../src/drive/service.js';
import { openFsBlobStore } from '../../src/engines/fs/store.js';
import type { ScannedRow } from '../../src/engines/item-store.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import { openMemoryBlobStore } from '../../src/engines/memory/blob-store.js';
import type { Store } from '../../src/engines/store.js';
import { createKeyRing } from '../../src/keys/key-ring.js';
import { createMaintenance, oneByOne } from '../../src/maintenance/maintenance.js';
import { checkStore } from '../../src/store/check/check-store.js';
import { isCopied } from '../../src/store/copy/copy-marker.js';
import { type CopyOptions, copyStore } from '../../src/store/copy/copy-store.js';
import type { CopyReport } from '../../src/store/copy/report.js';
import { collect } from './drive-fixture.js';

/** The project and the drive, as the first arguments of an operation. */
export const drive = ['demo', 'photos'] as const;
export const largeBytes = 300_000;
const minPartBytes = 5 * 1024 * 1024;
const settings = { uploadTtlSeconds: 86_400 };

/** Rows and bytes in memory, closed after the test. */
export async function memoryStore(context: TestContext): Promise<Store> {
  const items = await openLevelStore({ memory: true });
  context.after(() => items.close());
  return { items, blobs: openMemoryBlobStore() };
}

/** LevelDB and a folder of files, closed and gone after the test. */
export async function folderStore(context: TestContext): Promise<Store> {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-copy-'));
  const store = {
    items: await openLevelStore({ folder: join(folder, 'rows'), create: true }),
    blobs: await openFsBlobStore(join(folder, 'blobs')),
  };
  context.after(async () => {
    await store.items.close();
    await store.blobs.close();
    await rm(folder, { recursive: true });
  });
  return store;
}

/** What a server does with a store. */
export interface Services {
  readonly bases: BaseService;
  readonly drives: DriveService;
  /** Does all that is due in the background. */
  sweep(): Promise<void>;
}

export function servicesOver({ items, blobs }: Store, clock = Date.now): Services {
  const bases = createBaseService(items, clock);
  const drives = createDriveService({ items, blobs, clock, settings, wakeMaintenance: () => {} });
  const owners = { base: oneByOne(bases.handleDue), drive: drives.handleDue };
  const log = {
    error: ({ err }: Readonly<Record<string, unknown>>) => {
      throw err;
    },
  };
  const maintenance = createMaintenance({ items, owners, clock, log, mayWork: () => true });
  return { bases, drives, sweep: () => maintenance.runOnce() };
}

/** Puts raw items into a base. */
export async function putItems(store: Store, base: string, keys: readonly string[], dueSeconds?: number) {
  const puts = keys.map((key) => ({
    key,
    value: Buffer.from(JSON.stringify({ key, ...(dueSeconds !== undefined && { __expires: dueSeconds }) })),
    ...(dueSeconds !== undefined && { dueSeconds }),
  }));
  await store.items.transact(`base/demo/${base}`, [], () => ({ puts, result: undefined }));
}

export function large(letter: string): Buffer {
  return Buffer.alloc(largeBytes, letter);
}

/** Opens an upload, sends parts of which all but the last are full, and gives its id. */
export async function openUpload({ drives }: Services, name: string, ...letters: string[]): Promise<string> {
  const id = await drives.uploads.initialize(...drive, name, { contentType: 'text/plain' });
  for (const [n, letter] of letters.entries()) {
    const bytes = n < letters.length - 1 ? Buffer.alloc(minPartBytes, letter) : large(letter);
    await drives.uploads.part(...drive, name, {
      uploadId: id,
      source: bytes,
      part: n + 1,
      contentType: undefined,
    });
  }
  return id;
}

/** Every kind of row: items with and without expiry, small, large and joined files, an open upload, garbage, keys. */
export async function fill(store: Store): Promise<Services> {
  const services = servicesOver(store);
  const { drives } = services;
  await putItems(store, 'plain', ['a', 'b', 'ü', '\u{1f600}', '\uffee']);
  await putItems(store, 'expiring', ['soon', 'later'], 4_102_444_800);
  await drives.put(...drive, 'small', { source: Buffer.from('small'), contentType: 'text/plain' });
  await drives.put(...drive, 'empty', { source: Buffer.alloc(0), contentType: 'text/plain' });
  const metadata = { camera: 'Leica M3' };
  await drives.put(...drive, 'large', { source: large('l'), contentType: 'text/plain', metadata });
  await drives.put('other', 'x', 'large', { source: large('x'), contentType: 'text/plain' });
  await drives.uploads.end(...drive, 'joined', { uploadId: await openUpload(services, 'joined', 'p', 'q') });
  await openUpload(services, 'open', 'r', 's');
  await drives.put(...drive, 'overwritten', { source: large('1'), contentType: 'text/plain' });
  await drives.put(...drive, 'overwritten', { source: large('2'), contentType: 'text/plain' });
  await (await createKeyRing(store.items, [], Date.now)).create('demo');
  return services;
}

export async function runCopy(
  source: Store,
  destination: Store,
  options: Partial<CopyOptions> = {},
): Promise<CopyReport> {
  return await copyStore({
    source,
    destination,
    overwrite: false,
    verify: false,
    blobsAtOnce: 4,
    listen: () => {},
    ...options,
  });
}

/** All rows but those that are about one store only, in the order of their keys. */
export async function rowsOf({ items }: Store): Promise<(ScannedRow & { space: string })[]> {
  const rows: (ScannedRow & { space: string })[] = [];
  for await (const space of items.spaces('')) {
    if (!isCopied(space)) continue;
    for await (const batch of items.scan(space, { withDue: true })) {
      // A copy has no counters: its server counts. In a store that is served, they may change meanwhile.
      const copied = batch.filter(({ key }) => !(space.startsWith('drive/') && isCounterKey(key)));
      rows.push(...copied.map(({ key, value, dueSeconds }) => ({ space, key, value, dueSeconds })));
    }
  }
  return rows;
}

/** The blobs by id, whole. */
export async function blobsOf({ blobs }: Store): Promise<Map<string, Buffer>> {
  const ids: string[] = [];
  for await (const { id } of blobs.ids()) ids.push(id);
  const found = new Map<string, Buffer>();
  for (const id of ids.sort()) found.set(id, await collect(blobs.read(id)));
  return found;
}

/** The bytes of a file of the drive. */
export async function bytesOf(store: Store, name: string): Promise<Buffer> {
  const file = await servicesOver(store).drives.open(...drive, name);
  assert.ok(file !== undefined, name);
  try {
    return file.bytes ?? (await collect(file.read({ start: 0, end: file.row.sizeBytes - 1 })));
  } finally {
    file.release();
  }
}

/** What `check` finds wrong with a store. */
export async function problemsOf(store: Store): Promise<readonly unknown[]> {
  return (await checkStore({ ...store, clock: Date.now, orphanAgeSeconds: 0 })).problems;
}

/** What the destination was asked to change. */
export interface Writes {
  rowsPut: number;
  rowsDeleted: number;
  blobsWritten: number;
  blobsDeleted: number;
}

/** The same store, and a count of what is written to it. The row that says whose copy it is does not count. */
export function counted(store: Store): { readonly store: Store; readonly writes: Writes } {
  const writes: Writes = { rowsPut: 0, rowsDeleted: 0, blobsWritten: 0, blobsDeleted: 0 };
  const { items, blobs } = store;
  return {
    writes,
    store: {
      items: {
        ...items,
        transact: (space, keys, decide) =>
          items.transact(space, keys, (rows) => {
            const change = decide(rows);
            if (space !== 'copy' && space !== 'store') {
              writes.rowsPut += change.puts?.length ?? 0;
              writes.rowsDeleted += change.deletes?.length ?? 0;
            }
            return change;
          }),
      },
      blobs: {
        ...blobs,
        write(id, chunks) {
          writes.blobsWritten++;
          return blobs.write(id, chunks);
        },
        delete(ids) {
          writes.blobsDeleted += ids.length;
          return blobs.delete(ids);
        },
      },
    },
  };
}
