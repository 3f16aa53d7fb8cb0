import type { Change } from '../engines/item-store.js';
import { keyBatches } from '../engines/key-batches.js';
import type { Store } from '../engines/store.js';
import type { WriteCondition } from '../http/answers/conditional.js';
import type { CacheCounts } from '../lib/cache-counts.js';
import { type Clock, nowSeconds } from '../lib/clock.js';
import { createSemaphore } from '../lib/concurrency/semaphore.js';
import { abandoned } from '../request-error.js';
import { driveSpace } from '../spaces.js';
import { createSweep, discard, type Sweep } from './contents/garbage.js';
import { createLeases } from './contents/leases.js';
import { deleteUnnamed, type Source, storePiece } from './contents/piece.js';
import { createFileReader, type OpenFile } from './downloads/open-file.js';
import { type ListPage, type ListQuery, listNames } from './files/list.js';
import { defaultInlineFileBytes } from './limits.js';
import {
  etagOf,
  expiryOf,
  type FileExpiry,
  type FileRow,
  fileRow,
  isFileExpired,
  liveFile,
  nameKey,
  readFile,
  readRow,
} from './rows.js';
import { type CopyFiles, createCopyFiles } from './transfers/copy-files.js';
import { moveFiles } from './transfers/transfer.js';
import type { TransferBody } from './transfers/transfer-body.js';
import { createUploads, type Uploads } from './uploads/uploads.js';

/** A new file: its bytes and its content type. The source of the bytes enforces their maximum number. */
export interface NewFile extends FileExpiry {
  readonly source: Source;
  readonly contentType: string;
  /** A condition on the existing file. It is checked in the transaction that replaces the file. */
  readonly condition?: WriteCondition | undefined;
}

/** The changes of a file. What is undefined stays as it is. */
export interface FileChanges {
  readonly contentType?: string | undefined;
  /** Whole seconds since 1970 UTC; null if the file is not to expire. */
  readonly expiresAtSeconds?: number | null | undefined;
  /** For how many seconds from now on the file exists. */
  readonly expiresInSeconds?: number | undefined;
}

/** What the operations on a drive work with. */
export interface DriveServices {
  readonly drives: DriveService;
}

/** The operations of the file API over any engines. The routes have checked all names. */
export interface DriveService {
  /**
   * Stores a file and replaces any file of that name (docs/http.md#put-file). Throws a 412 `RequestError` if the
   * condition is not met; then nothing is stored.
   */
  put(project: string, drive: string, name: string, file: NewFile): Promise<void>;
  /**
   * Opens the file as it is now; it must be released. Gives undefined if there is no such file
   * (docs/http.md#download-file).
   */
  open(project: string, drive: string, name: string): OpenFile | undefined | Promise<OpenFile | undefined>;
  /** Reads a page of names in their order (docs/http.md#list-files). */
  list(project: string, drive: string, query: Omit<ListQuery, 'nowSeconds'>): Promise<ListPage>;
  /** Deletes all of these files in one step. A name need not exist (docs/http.md#delete-files). */
  remove(project: string, drive: string, names: readonly string[]): Promise<void>;
  /**
   * Deletes all files whose names begin with the prefix, and gives their number. Uploads stay open
   * (docs/http.md#delete-all-files).
   */
  removeAll(project: string, drive: string, prefix: string, isAbandoned: () => boolean): Promise<number>;
  /**
   * Changes when a file expires, or its content type (docs/http.md#change-file). Gives the changed file, or undefined
   * if there is none.
   */
  change(project: string, drive: string, name: string, changes: FileChanges): Promise<FileRow | undefined>;
  /**
   * Gives all of these files other names in one step (docs/http.md#move-files). Throws its 404 and 409 as a
   * `RequestError`.
   */
  move(project: string, drive: string, body: TransferBody): Promise<void>;
  /** Copies all of these files (docs/http.md#copy-files). Throws its 400, 404 and 409 as a `RequestError`. */
  readonly copy: CopyFiles;
  readonly uploads: Uploads;
  readonly sweep: Sweep;
  /** Keeps the bytes of overwritten and deleted files until the returned function is called. */
  holdGarbage(): () => void;
  /** The most bytes that storing a file keeps in memory. */
  readonly keptByWrite: number;
  /** How the cache of small contents was used. */
  cache(): CacheCounts;
}

export interface DriveServiceDependencies extends Store {
  readonly clock: Clock;
  readonly settings: DriveSettings;
  /** Called after something became garbage. */
  readonly wakeMaintenance: () => void;
}

export interface DriveSettings {
  /** The time after its last request at which an upload is dropped (docs/http.md#abandoned-uploads). */
  readonly uploadTtlSeconds: number;
  /** The time for which the bytes of overwritten and deleted files are kept. */
  readonly garbageGraceSeconds?: number;
  /** The maximum size of files and parts that are stored in a row. */
  readonly inlineFileBytes?: number;
}

export function createDriveService(dependencies: DriveServiceDependencies): DriveService {
  const { items, blobs, clock, settings, wakeMaintenance } = dependencies;
  const { uploadTtlSeconds, garbageGraceSeconds = 0, inlineFileBytes = defaultInlineFileBytes } = settings;
  const garbageDue = () => nowSeconds(clock) + garbageGraceSeconds;
  const leases = createLeases();
  const reader = createFileReader({ items, blobs }, leases, clock);
  const uploads = createUploads({
    items,
    blobs,
    clock,
    inlineFileBytes,
    uploadTtlSeconds,
    garbageDue,
    wakeMaintenance,
  });

  const copy = createCopyFiles({ items, blobs, clock, leases, uploads, garbageDue, wakeMaintenance });

  /** All calls of `removeAll` together delete one batch at a time, so that a writer waits for at most one batch. */
  const oneAtATime = createSemaphore(() => 1);

  /** Deletes the files of these rows in one step, and gives the number of those that had not expired. */
  async function removeNames(space: string, keys: readonly string[]): Promise<number> {
    const deleted = await items.transact(space, keys, (rows): Change<number> => {
      const due = garbageDue();
      const discarded = rows.map((row) => discard(row && readRow<FileRow>(row), due));
      const existing = keys.filter((_, index) => rows[index] !== undefined);
      return {
        puts: discarded.flatMap((content) => content.puts),
        deletes: [...existing, ...discarded.flatMap((content) => content.deletes)],
        makesRoom: true,
        result: rows.filter((row) => liveFile(row, nowSeconds(clock)) !== undefined).length,
      };
    });
    wakeMaintenance();
    return deleted;
  }

  /** Deletes an expired file, and its bytes become garbage. A file that was put or changed in the meantime stays. */
  async function expireFile(space: string, key: string): Promise<void> {
    await items.transact(space, [key], ([row]): Change<undefined> => {
      const file = readFile(row);
      if (file === undefined || !isFileExpired(file, nowSeconds(clock))) return { result: undefined };
      const old = discard(file, garbageDue());
      return { puts: old.puts, deletes: [key, ...old.deletes], makesRoom: true, result: undefined };
    });
    wakeMaintenance();
  }

  return {
    async put(project, drive, name, { source, contentType, condition, ...expiry }) {
      const space = driveSpace(project, drive);
      const key = nameKey(name);
      // The condition is checked before the body is read, so that no client sends megabytes for nothing.
      if (condition !== undefined)
        requireCondition(condition, liveFile(await items.get(space, key), nowSeconds(clock)));
      const { piece, puts } = await storePiece({ items, blobs }, source, inlineFileBytes);
      try {
        const isGarbageMade = await items.transact(space, [key], ([row]): Change<boolean> => {
          const before = readFile(row);
          if (condition !== undefined) requireCondition(condition, liveFile(row, nowSeconds(clock)));
          const expiresAtSeconds = expiryOf(expiry, nowSeconds(clock));
          const file: FileRow = { ...piece, contentType, modifiedMs: clock(), expiresAtSeconds };
          const old = discard(before, garbageDue());
          return {
            puts: [fileRow(name, file), ...puts, ...old.puts],
            deletes: old.deletes,
            result: old.puts.length > 0,
          };
        });
        if (isGarbageMade) wakeMaintenance();
      } catch (cause) {
        // After most errors the row may have been written.
        await deleteUnnamed(blobs, piece, cause);
        throw cause;
      }
    },

    open: (project, drive, name) => reader.open(driveSpace(project, drive), name),
    cache: reader.cache,

    list: (project, drive, query) =>
      listNames(items, driveSpace(project, drive), { ...query, nowSeconds: nowSeconds(clock) }),

    async remove(project, drive, names) {
      await removeNames(driveSpace(project, drive), names.map(nameKey));
    },

    async removeAll(project, drive, prefix, isAbandoned) {
      const space = driveSpace(project, drive);
      let deleted = 0;
      for await (const keys of keyBatches(items, space, nameKey(prefix))) {
        deleted += await oneAtATime(() => {
          if (isAbandoned()) throw abandoned();
          return removeNames(space, keys);
        });
      }
      return deleted;
    },

    async move(project, drive, body) {
      await moveFiles({ items, clock, garbageDue }, driveSpace(project, drive), body);
      wakeMaintenance();
    },

    async change(project, drive, name, { contentType, expiresAtSeconds, expiresInSeconds }) {
      const key = nameKey(name);
      return await items.transact(driveSpace(project, drive), [key], ([row]): Change<FileRow | undefined> => {
        const file = liveFile(row, nowSeconds(clock));
        if (file === undefined) return { result: undefined };
        const expires = expiryOf(
          { expiresAtSeconds: expiresAtSeconds ?? undefined, expiresInSeconds },
          nowSeconds(clock),
        );
        const isNewType = contentType !== undefined && contentType !== file.contentType;
        const changed: FileRow = {
          ...file,
          contentType: contentType ?? file.contentType,
          expiresAtSeconds: expiresAtSeconds === null ? undefined : (expires ?? file.expiresAtSeconds),
          revision: isNewType ? (file.revision ?? 0) + 1 : file.revision,
        };
        return { puts: [fileRow(name, changed)], result: changed };
      });
    },

    copy,
    uploads,
    holdGarbage: leases.takeAll,
    keptByWrite: blobs.keptByWrite,
    sweep: createSweep({ items, blobs, leases, dropUpload: uploads.dropUpload, expireFile }),
  };
}

/** Throws a 412 `RequestError` if the condition is not met for this file. */
function requireCondition(condition: WriteCondition, file: FileRow | undefined): void {
  const unmet = condition(file && etagOf(file));
  if (unmet !== undefined) throw unmet;
}
