import { keyBatches } from '../engines/key-batches.js';
import type { Store } from '../engines/store.js';
import type { CacheCounts } from '../lib/cache-counts.js';
import { type Clock, nowSeconds } from '../lib/clock.js';
import { createSemaphore } from '../lib/concurrency/semaphore.js';
import { abandoned } from '../request-error.js';
import { driveSpace } from '../spaces.js';
import { createSweep, type Sweep } from './contents/garbage.js';
import { createLeases } from './contents/leases.js';
import { createFileReader, type OpenFile } from './downloads/open-file.js';
import { changeFile, type FileChanges } from './files/change-file.js';
import { type ListPage, type ListQuery, listNames } from './files/list.js';
import { listOrdered, type OrderedListQuery } from './files/ordered-list.js';
import { type NewFile, putFile } from './files/put-file.js';
import { expireFile, removeFiles } from './files/remove-files.js';
import { defaultInlineFileBytes } from './limits.js';
import { type FileRow, nameKey } from './rows.js';
import { type CopyFiles, createCopyFiles } from './transfers/copy-files.js';
import { moveFiles } from './transfers/transfer.js';
import type { TransferBody } from './transfers/transfer-body.js';
import { sweepTrash } from './trash/trash.js';
import { createTrash, type TrashService } from './trash/trash-service.js';
import { createUploads, type Uploads } from './uploads/uploads.js';

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
  /**
   * Reads a page of names in another order, or of those that contain a text (docs/http.md#ordered-lists). Throws a 400
   * `RequestError` if `last` is of another order.
   */
  listOrdered(
    project: string,
    drive: string,
    query: Omit<OrderedListQuery, 'nowSeconds'>,
    isAbandoned: () => boolean,
  ): Promise<ListPage>;
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
  readonly trash: TrashService;
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
  /** For how many seconds the trash of a drive without settings keeps files. Default 0: there is none. */
  readonly trashSeconds?: number;
}

const longListsAtOnce = 4;

export function createDriveService(dependencies: DriveServiceDependencies): DriveService {
  const { items, blobs, clock, settings, wakeMaintenance } = dependencies;
  const { uploadTtlSeconds, garbageGraceSeconds = 0, trashSeconds = 0 } = settings;
  const { inlineFileBytes = defaultInlineFileBytes } = settings;
  const garbageDue = () => nowSeconds(clock) + garbageGraceSeconds;
  const leases = createLeases();
  const reader = createFileReader({ items, blobs }, leases, clock);
  const context = { items, blobs, clock, inlineFileBytes, garbageDue, trashSeconds, wakeMaintenance };
  const uploads = createUploads(context, uploadTtlSeconds);
  const copy = createCopyFiles({ ...context, leases, uploads });
  const expire = (space: string, key: string) => expireFile(context, space, key);
  const sweepOfTrash = (space: string, key: string) => sweepTrash(context, space, key);

  /** All calls of `removeAll` together delete one batch at a time, so that a writer waits for at most one batch. */
  const oneAtATime = createSemaphore(() => 1);

  /** Each of them keeps up to 2 MiB of rows. */
  const longLists = createSemaphore(() => longListsAtOnce);

  return {
    put: (project, drive, name, file) => putFile(context, driveSpace(project, drive), name, file),

    open: (project, drive, name) => reader.open(driveSpace(project, drive), name),
    cache: reader.cache,

    list: (project, drive, query) =>
      listNames(items, driveSpace(project, drive), { ...query, nowSeconds: nowSeconds(clock) }),

    listOrdered: (project, drive, query, isAbandoned) =>
      longLists(() => {
        const now = nowSeconds(clock);
        return listOrdered(items, driveSpace(project, drive), { ...query, nowSeconds: now }, isAbandoned);
      }),

    async remove(project, drive, names) {
      await removeFiles(context, driveSpace(project, drive), names.map(nameKey));
    },

    async removeAll(project, drive, prefix, isAbandoned) {
      const space = driveSpace(project, drive);
      let deleted = 0;
      for await (const keys of keyBatches(items, space, nameKey(prefix))) {
        deleted += await oneAtATime(() => {
          if (isAbandoned()) throw abandoned();
          return removeFiles(context, space, keys);
        });
      }
      return deleted;
    },

    async move(project, drive, body) {
      await moveFiles(context, driveSpace(project, drive), body);
      wakeMaintenance();
    },

    change: (project, drive, name, changes) => changeFile(context, driveSpace(project, drive), name, changes),

    copy,
    uploads,
    trash: createTrash(context, oneAtATime),
    holdGarbage: leases.takeAll,
    keptByWrite: blobs.keptByWrite,
    sweep: createSweep({
      items,
      blobs,
      leases,
      dropUpload: uploads.dropUpload,
      expireFile: expire,
      sweepTrash: sweepOfTrash,
    }),
  };
}
