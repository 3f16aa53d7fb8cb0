import { setImmediate as nextTurn } from 'node:timers/promises';
import { createFirstCount, type FirstCountOptions } from '../engines/first-count.js';
import type { ItemStore } from '../engines/item-store.js';
import { keyBatches } from '../engines/key-batches.js';
import { withPacedScans } from '../engines/shared/paced-scans.js';
import type { Store } from '../engines/store.js';
import type { CacheCounts } from '../lib/cache-counts.js';
import { type Clock, nowSeconds } from '../lib/clock.js';
import { createFairSemaphores, createSharedSemaphores } from '../lib/concurrency/semaphore.js';
import { type Ledgers, noLedgers } from '../quotas/ledgers.js';
import { abandoned } from '../request-error.js';
import { driveSpace } from '../spaces.js';
import { createSweepGarbage } from './contents/garbage.js';
import { createLeases } from './contents/leases.js';
import { countedFiles, createCountedFiles } from './counted-files.js';
import { createFileReader, type OpenFile } from './downloads/open-file.js';
import { createDueRows, type HandleDue } from './due-rows.js';
import { changeFile, type FileChanges } from './files/change-file.js';
import { type EntriesPage, type EntriesQuery, listEntries } from './files/list-entries.js';
import { type ListPage, type ListQuery, listFolders, listNames } from './files/list-names.js';
import { listOrdered, type OrderedListQuery } from './files/ordered-list.js';
import { type FileCondition, type NewFile, putFile } from './files/put-file.js';
import { expireFile, removeFiles } from './files/remove-files.js';
import { createKeptDrives, type KeptDrives } from './kept-drives.js';
import { defaultInlineFileBytes } from './limits.js';
import { type FileRow, fileKey, folderKey, liveFile, nameKey } from './rows.js';
import { type CopyFiles, createCopyFiles } from './transfers/copy-files.js';
import { moveFiles } from './transfers/move-files.js';
import type { TransferBody } from './transfers/transfer-body.js';
import { sweepTrash } from './trash/trash.js';
import { createTrash, type TrashService } from './trash/trash-service.js';
import { type Copying, createCopying, createManyNames, createRowPace } from './turns.js';
import { createUploads, type Uploads } from './uploads/uploads.js';

/** What the operations on a drive work with. */
export interface DriveServices {
  readonly drives: DriveService;
}

/** The operations of the file API over any engines. The routes have checked all names. */
export interface DriveService extends KeptDrives {
  /**
   * Stores a file and replaces any file of that name (docs/http.md#put-file). Gives its row. Throws a 412 `RequestError`
   * if the condition is not met; then nothing is stored. A name that ends in `/` is that of the marker of a folder, which
   * `open`, `stat`, `remove` and `listEntries` know, too, and the other operations do not.
   */
  put(project: string, drive: string, name: string, file: NewFile): Promise<FileRow>;
  /**
   * Opens the file as it is now; it must be released. Gives undefined if there is no such file
   * (docs/http.md#download-file).
   */
  open(project: string, drive: string, name: string): OpenFile | undefined | Promise<OpenFile | undefined>;
  /** What is known of the file as it is now; undefined if there is no such file. */
  stat(project: string, drive: string, name: string): Promise<FileRow | undefined>;
  /** Reads a page of files and the markers of folders in the order of their names. */
  listEntries(project: string, drive: string, query: Omit<EntriesQuery, 'nowSeconds'>): Promise<EntriesPage>;
  /** Reads a page of names in their order (docs/http.md#list-files). */
  list(project: string, drive: string, query: Omit<ListQuery, 'nowSeconds'>): Promise<ListPage>;
  /** Reads a page of the markers of folders (docs/http.md#folder-markers). */
  listFolders(project: string, drive: string, query: Omit<ListQuery, 'nowSeconds'>): Promise<ListPage>;
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
  /**
   * Deletes all of these files in one step. A name need not exist (docs/http.md#delete-files). Throws the 412
   * `RequestError` of a condition that one of them does not meet.
   */
  remove(project: string, drive: string, names: readonly string[], condition?: FileCondition): Promise<void>;
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
  /** Admits another copy of a content: not too many are made at once. */
  readonly copying: Copying;
  readonly uploads: Uploads;
  readonly trash: TrashService;
  readonly handleDue: HandleDue;
  /** Keeps the bytes of overwritten and deleted files until the returned function is called. */
  holdGarbage(): () => void;
  /** The most bytes that storing a file keeps in memory. */
  readonly keptByWrite: number;
  /** How the cache of small contents was used. */
  cache(): CacheCounts;
  /** Counts the files of a drive that were there before drives had counters. */
  startCount(space: string): void;
  /** Ends the counting. */
  stop(): Promise<void>;
}

export interface DriveServiceDependencies extends Store {
  readonly clock: Clock;
  readonly settings: DriveSettings;
  /** Called after something became garbage. */
  readonly wakeMaintenance: () => void;
  /** What the projects with a quota store. */
  readonly ledgers?: Ledgers;
  /** How this server counts files in the background. */
  readonly counting?: FirstCountOptions;
}

export interface DriveSettings {
  /** The time after its last request at which an upload is dropped (docs/http.md#abandoned-uploads). */
  readonly uploadTtlSeconds: number;
  /** The most uploads that a project may have open. */
  readonly maxOpenUploads?: number;
  /** The time for which the bytes of overwritten and deleted files are kept. */
  readonly garbageGraceSeconds?: number;
  /** The maximum size of files and parts that are stored in a row. */
  readonly inlineFileBytes?: number;
  /** For how many seconds the trash of a drive without settings keeps files. Default 0: there is none. */
  readonly trashSeconds?: number;
}

const longListsAtOnce = 4;
/**
 * The maximum number of other lists at once, of all projects and of one. What few lists have read is garbage before the
 * collector has moved it: with 64 of them at once, each took 1.7 times the processor time and memory grew by 60 MB more.
 */
const listsAtOnce = 8;
const listsOfProject = 4;
const soleCounting: FirstCountOptions = { mayWork: () => true, onError() {}, beginRests: () => nextTurn };

export function createDriveService(dependencies: DriveServiceDependencies): DriveService {
  const { blobs, clock, settings, wakeMaintenance, counting = soleCounting } = dependencies;
  const { ledgers = noLedgers } = dependencies;
  const items = withPacedScans(createCountedFiles(dependencies.items, ledgers));
  const firstCount = createFirstCount(dependencies.items, countedFiles, counting);
  const { uploadTtlSeconds, garbageGraceSeconds = 0, trashSeconds = 0 } = settings;
  const { inlineFileBytes = defaultInlineFileBytes } = settings;
  const garbageDue = () => nowSeconds(clock) + garbageGraceSeconds;
  const leases = createLeases();
  const reader = createFileReader({ items, blobs }, leases, clock);
  const context = {
    items,
    ledgers,
    blobs,
    clock,
    inlineFileBytes,
    garbageDue,
    trashSeconds,
    wakeMaintenance,
  };
  const uploads = createUploads(context, uploadTtlSeconds, settings.maxOpenUploads);
  const copying = createCopying();
  const manyNames = createManyNames();
  const rowPace = createRowPace();
  const copy = createCopyFiles({ ...context, leases, uploads, copying, manyNames, rowPace });

  /**
   * All calls of `removeAll` together delete one batch at a time, in turns of the projects, so that a writer waits for at
   * most one batch.
   */
  const oneAtATime = createFairSemaphores(() => 1);

  return {
    put: (project, drive, name, file) => putFile(context, driveSpace(project, drive), name, file),

    open: (project, drive, name) => reader.open(driveSpace(project, drive), name),
    cache: reader.cache,

    startCount: firstCount.start,
    stop: firstCount.stop,

    ...listsOf(items, clock),
    ...createKeptDrives(context),

    stat: async (project, drive, name) =>
      liveFile(await items.get(driveSpace(project, drive), fileKey(name)), nowSeconds(clock)),

    async remove(project, drive, names, condition) {
      await manyNames(project, names.length, () =>
        removeFiles(context, driveSpace(project, drive), names.map(fileKey), condition),
      );
    },

    removeAll(project, drive, prefix, isAbandoned) {
      const space = driveSpace(project, drive);
      return removeAll({ items, space, prefix }, (keys) =>
        oneAtATime(project)(() => {
          if (isAbandoned()) throw abandoned();
          return removeFiles(context, space, keys);
        }),
      );
    },

    async move(project, drive, body) {
      await manyNames(project, body.files.length, () => moveFiles(context, driveSpace(project, drive), body));
      wakeMaintenance();
    },

    change: (project, drive, name, changes) => changeFile(context, driveSpace(project, drive), name, changes),

    copy,
    copying,
    uploads,
    trash: createTrash(context, { oneAtATime, manyNames }),
    holdGarbage: leases.takeAll,
    keptByWrite: blobs.keptByWrite,
    handleDue: createDueRows({
      items,
      sweepGarbage: createSweepGarbage({ items, blobs }, leases),
      dropUpload: uploads.dropUpload,
      expireFile: (space, key) => expireFile(context, space, key),
      sweepTrash: (space, key) => sweepTrash(context, space, key),
      startCount: firstCount.start,
    }),
  };
}

/** The lists of a drive. */
function listsOf(
  items: ItemStore,
  clock: Clock,
): Pick<DriveService, 'list' | 'listFolders' | 'listOrdered' | 'listEntries'> {
  /** Each of them keeps up to 2 MiB of rows. One of a project at a time. */
  const longLists = createSharedSemaphores(longListsAtOnce, 1);
  /** Each of them keeps up to 1,000 rows, of 15 KB at most. */
  const lists = createSharedSemaphores(listsAtOnce, listsOfProject);
  const now = () => ({ nowSeconds: nowSeconds(clock) });
  return {
    list: (project, drive, query) =>
      lists(project)(() => listNames(items, driveSpace(project, drive), { ...query, ...now() })),

    listFolders: (project, drive, query) =>
      listFolders(items, driveSpace(project, drive), { ...query, ...now() }),

    listOrdered: (project, drive, query, isAbandoned) =>
      longLists(project)(() =>
        listOrdered(items, driveSpace(project, drive), { ...query, ...now() }, isAbandoned),
      ),

    listEntries: (project, drive, query) =>
      lists(project)(() => listEntries(items, driveSpace(project, drive), { ...query, ...now() })),
  };
}

/** Removes all files with the prefix, batch by batch, and then the markers of folders. Gives the number of files. */
async function removeAll(
  { items, space, prefix }: { items: ItemStore; space: string; prefix: string },
  removed: (keys: readonly string[]) => Promise<number>,
): Promise<number> {
  let deleted = 0;
  for await (const keys of keyBatches(items, space, nameKey(prefix))) deleted += await removed(keys);
  for await (const keys of keyBatches(items, space, folderKey(prefix))) await removed(keys);
  return deleted;
}
