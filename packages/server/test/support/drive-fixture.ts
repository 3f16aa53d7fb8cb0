import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDriveService, type DriveService } from '../../src/drive/service.js';
import type { BlobStore, ByteRange } from '../../src/engines/blob-store.js';
import { openFsBlobStore } from '../../src/engines/fs/store.js';
import type { ItemStore, Row } from '../../src/engines/item-store.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import { createMaintenance, type Maintenance } from '../../src/maintenance/maintenance.js';
import { driveSpace } from '../../src/spaces.js';
import { identityBlob } from '../../src/store/identity.js';

/** The project and the drive, as the first arguments of an operation. */
export const drive = ['demo', 'photos'] as const;
const space = driveSpace('demo', 'photos');
const startMs = 1_700_000_000_000;
export const uploadTtlSeconds = 24 * 60 * 60;
/** Larger than what is kept in a row. */
export const largeBytes = 300_000;
export const minPartBytes = 5 * 1024 * 1024;

/** A drive service over LevelDB and files, whose clock and blobs a test may take in hand. */
export interface DriveFixture {
  /** Of the blobs' files. */
  readonly blobsFolder: string;
  readonly items: ItemStore;
  readonly blobs: BlobStore;
  readonly service: DriveService;
  readonly maintenance: Maintenance;
  /** What the maintenance had to log. */
  readonly logged: unknown[];
  nowMs: number;
  close(): Promise<void>;
  /** The bytes of a file, or undefined when there is none. */
  read(name: string, range?: ByteRange): Promise<Buffer | undefined>;
  rows(prefix?: string): Promise<Row[]>;
  keys(prefix?: string): Promise<string[]>;
  blobIds(): Promise<string[]>;
}

export async function openDriveFixture(
  wrap = (blobs: BlobStore): BlobStore => blobs,
  garbageGraceSeconds = 0,
  trashSeconds = 0,
): Promise<DriveFixture> {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-drive-'));
  const items = await openLevelStore({ folder: join(folder, 'rows'), create: true });
  const blobsFolder = join(folder, 'blobs');
  const disk = await openFsBlobStore(blobsFolder);
  const blobs = wrap(disk);
  const logged: unknown[] = [];
  const clock = () => fixture.nowMs;
  const service = createDriveService({
    items,
    blobs,
    clock,
    settings: { uploadTtlSeconds, garbageGraceSeconds, trashSeconds },
    wakeMaintenance: () => {},
  });
  const log = { error: (fields: unknown) => logged.push(fields) };
  const maintenance = createMaintenance({
    items,
    owners: { drive: service.handleDue },
    clock,
    log,
    mayWork: () => true,
  });

  const fixture: DriveFixture = {
    blobsFolder,
    items,
    blobs,
    service,
    maintenance,
    logged,
    nowMs: startMs,
    async close() {
      await maintenance.stop();
      await items.close();
      await disk.close();
      await rm(folder, { recursive: true });
    },
    async read(name, range) {
      const file = await service.open(...drive, name);
      if (file === undefined) return undefined;
      try {
        return await collect(file.read(range ?? { start: 0, end: file.row.sizeBytes - 1 }));
      } finally {
        file.release();
      }
    },
    async rows(prefix = '') {
      const rows: Row[] = [];
      for await (const batch of items.scan(space, { prefix })) rows.push(...batch);
      return rows;
    },
    async keys(prefix) {
      const keys = (await fixture.rows(prefix)).map((row) => row.key);
      return prefix === undefined ? keys.filter((key) => !key.startsWith('count')) : keys;
    },
    async blobIds() {
      const ids: string[] = [];
      for await (const { id } of disk.ids()) if (id !== identityBlob) ids.push(id);
      return ids.sort();
    },
  };
  return fixture;
}

export async function collect(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  // A chunk holds its bytes until more are asked for.
  for await (const chunk of chunks) all.push(Buffer.from(chunk));
  return Buffer.concat(all);
}

/** A body that comes in pieces of unknown number. */
export async function* streamed(bytes: Buffer, chunkBytes = 64 * 1024): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}
