import type { BlobStore } from '../engines/blob-store.js';
import type { Change, ItemStore } from '../engines/item-store.js';
import { type Clock, nowSeconds } from '../lib/clock.js';
import { driveSpace } from '../spaces.js';
import { discard } from './discard.js';
import { createLeases } from './leases.js';
import { defaultInlineFileBytes } from './limits.js';
import { type ListPage, type ListQuery, listNames } from './list.js';
import { createFileReader, type OpenFile } from './open-file.js';
import { type Source, storePiece } from './piece.js';
import { type FileRow, jsonRow, nameKey, readRow } from './rows.js';
import { createSweep, type Sweep } from './sweep.js';
import { createUploads, type EndResult, type PartOptions } from './uploads.js';

/** One drive of one project. */
export interface Drive {
  readonly project: string;
  readonly drive: string;
}

/** The operations of the file API over any two engines. Names are valid: routes read them so. */
export interface DriveService {
  /** "Writing a file whose name already exists overwrites it." The source bounds its own length. */
  put(drive: Drive, name: string, source: Source, contentType: string): Promise<void>;
  /** The file, held as it is until it is released; undefined when there is none. */
  open(drive: Drive, name: string): OpenFile | undefined | Promise<OpenFile | undefined>;
  list(drive: Drive, query: ListQuery): Promise<ListPage>;
  /** Takes all of these away in one step; names that do not exist are no error. */
  remove(drive: Drive, names: readonly string[]): Promise<void>;

  /** Opens an upload and returns its id. */
  initialize(drive: Drive, name: string, contentType: string | undefined): Promise<string>;
  isOpen(drive: Drive, name: string, uploadId: string): Promise<boolean>;
  /** False when the upload is unknown (by now): the bytes are not kept. */
  part(drive: Drive, name: string, uploadId: string, source: Source, options: PartOptions): Promise<boolean>;
  end(drive: Drive, name: string, uploadId: string): Promise<EndResult>;
  /** False when the upload is unknown. */
  abort(drive: Drive, name: string, uploadId: string): Promise<boolean>;

  /** For the maintenance: what becomes of a row of a drive's space that is due. */
  readonly sweep: Sweep;
}

export interface DriveServiceParts {
  readonly items: ItemStore;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly settings: DriveSettings;
  /** Called after something became garbage. */
  readonly wakeMaintenance: () => void;
}

export interface DriveSettings {
  /** "an upload left open is dropped after 24 h without a call (the operator can change it)" */
  readonly uploadTtlSeconds: number;
  /** Bytes of overwritten and deleted files stay for so long. */
  readonly garbageGraceSeconds?: number;
  /** Files and parts up to this size are kept in a row. */
  readonly inlineFileBytes?: number;
}

export function createDriveService(parts: DriveServiceParts): DriveService {
  const { items, blobs, clock, settings, wakeMaintenance } = parts;
  const { uploadTtlSeconds, garbageGraceSeconds = 0, inlineFileBytes = defaultInlineFileBytes } = settings;
  const garbageDue = () => nowSeconds(clock) + garbageGraceSeconds;
  const leases = createLeases();
  const reader = createFileReader({ items, blobs }, leases);
  const uploads = createUploads({
    ...{ items, blobs, clock, wakeMaintenance, garbageDue },
    ...{ uploadTtlSeconds, inlineFileBytes },
  });

  return {
    async put(drive, name, source, contentType) {
      const { piece, puts } = await storePiece(blobs, source, inlineFileBytes);
      const key = nameKey(name);
      const replaced = await items.transact(spaceOf(drive), [key], ([before]): Change<boolean> => {
        const file: FileRow = { ...piece, contentType, modifiedMs: clock() };
        const old = discard(before && readRow<FileRow>(before), garbageDue());
        return {
          puts: [jsonRow(key, file), ...puts, ...old.puts],
          deletes: old.deletes,
          result: old.puts.length > 0,
        };
      });
      if (replaced) wakeMaintenance();
    },

    open: (drive, name) => reader.open(spaceOf(drive), name),

    list: (drive, query) => listNames(items, spaceOf(drive), query),

    async remove(drive, names) {
      const keys = names.map(nameKey);
      await items.transact(spaceOf(drive), keys, (rows): Change<undefined> => {
        const due = garbageDue();
        const gone = rows.map((row) => discard(row && readRow<FileRow>(row), due));
        return {
          puts: gone.flatMap((content) => content.puts),
          deletes: [
            ...keys.filter((_, index) => rows[index] !== undefined),
            ...gone.flatMap((content) => content.deletes),
          ],
          result: undefined,
        };
      });
      wakeMaintenance();
    },

    initialize: (drive, name, contentType) => uploads.initialize(spaceOf(drive), name, contentType),
    isOpen: (drive, name, uploadId) => uploads.isOpen(spaceOf(drive), name, uploadId),
    part: (drive, name, uploadId, source, options) =>
      uploads.part(spaceOf(drive), name, uploadId, source, options),
    end: (drive, name, uploadId) => uploads.end(spaceOf(drive), name, uploadId),
    abort: (drive, name, uploadId) => uploads.abort(spaceOf(drive), name, uploadId),
    sweep: createSweep(items, blobs, leases, uploads),
  };
}

function spaceOf({ project, drive }: Drive): string {
  return driveSpace(project, drive);
}
