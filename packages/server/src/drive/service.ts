import type { Change } from '../engines/item-store.js';
import type { Store } from '../engines/store.js';
import { type Clock, nowSeconds } from '../lib/clock.js';
import { driveSpace } from '../spaces.js';
import { createSweep, discard, type Sweep } from './garbage.js';
import { createLeases } from './leases.js';
import { defaultInlineFileBytes } from './limits.js';
import { type ListPage, type ListQuery, listNames } from './list.js';
import { createFileReader, type OpenFile } from './open-file.js';
import { type Source, storePiece } from './piece.js';
import { type FileRow, jsonRow, nameKey, readRow } from './rows.js';
import { createUploads, type Uploads } from './uploads.js';

/** The bytes of a new file, which bound their own number, and its content type. */
export interface NewFile {
  readonly source: Source;
  readonly contentType: string;
}

/** The operations of the file API over any two engines. Names are valid: the routes check them. */
export interface DriveService {
  /** Stores a file, in place of one of the same name (docs/http.md#put-file). */
  put(project: string, drive: string, name: string, file: NewFile): Promise<void>;
  /** The file as it is now, until it is released; undefined when it is missing (docs/http.md#download-file). */
  open(project: string, drive: string, name: string): OpenFile | undefined | Promise<OpenFile | undefined>;
  /** One page of names in their order (docs/http.md#list-files). */
  list(project: string, drive: string, query: ListQuery): Promise<ListPage>;
  /** Deletes all of these in one step; names that do not exist are no error (docs/http.md#delete-files). */
  remove(project: string, drive: string, names: readonly string[]): Promise<void>;
  readonly uploads: Uploads;
  readonly sweep: Sweep;
}

export interface DriveServiceParts extends Store {
  readonly clock: Clock;
  readonly settings: DriveSettings;
  /** Called after something became garbage. */
  readonly wakeMaintenance: () => void;
}

export interface DriveSettings {
  /** An upload is dropped when it had no request for so long (docs/http.md#abandoned-uploads). */
  readonly uploadTtlSeconds: number;
  /** Bytes of overwritten and deleted files stay for so long. */
  readonly garbageGraceSeconds?: number;
  /** Files and parts up to this size are stored in a row. */
  readonly inlineFileBytes?: number;
}

export function createDriveService(parts: DriveServiceParts): DriveService {
  const { items, blobs, clock, settings, wakeMaintenance } = parts;
  const { uploadTtlSeconds, garbageGraceSeconds = 0, inlineFileBytes = defaultInlineFileBytes } = settings;
  const garbageDue = () => nowSeconds(clock) + garbageGraceSeconds;
  const leases = createLeases();
  const reader = createFileReader({ items, blobs }, leases);
  const { dropUpload, ...uploads } = createUploads({
    items,
    blobs,
    clock,
    inlineFileBytes,
    uploadTtlSeconds,
    garbageDue,
    wakeMaintenance,
  });

  return {
    async put(project, drive, name, { source, contentType }) {
      const { piece, puts } = await storePiece(blobs, source, inlineFileBytes);
      const key = nameKey(name);
      const isGarbageMade = await items.transact(
        driveSpace(project, drive),
        [key],
        ([before]): Change<boolean> => {
          const file: FileRow = { ...piece, contentType, modifiedMs: clock() };
          const old = discard(before && readRow<FileRow>(before), garbageDue());
          return {
            puts: [jsonRow(key, file), ...puts, ...old.puts],
            deletes: old.deletes,
            result: old.puts.length > 0,
          };
        },
      );
      if (isGarbageMade) wakeMaintenance();
    },

    open: (project, drive, name) => reader.open(driveSpace(project, drive), name),

    list: (project, drive, query) => listNames(items, driveSpace(project, drive), query),

    async remove(project, drive, names) {
      const keys = names.map(nameKey);
      await items.transact(driveSpace(project, drive), keys, (rows): Change<undefined> => {
        const due = garbageDue();
        const discarded = rows.map((row) => discard(row && readRow<FileRow>(row), due));
        return {
          puts: discarded.flatMap((content) => content.puts),
          deletes: [
            ...keys.filter((_, index) => rows[index] !== undefined),
            ...discarded.flatMap((content) => content.deletes),
          ],
          result: undefined,
        };
      });
      wakeMaintenance();
    },

    uploads,
    sweep: createSweep({ items, blobs, leases, dropUpload }),
  };
}
