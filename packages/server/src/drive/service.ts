import type { Change } from '../engines/item-store.js';
import { keyBatches } from '../engines/key-batches.js';
import type { Store } from '../engines/store.js';
import type { WriteCondition } from '../http/conditional.js';
import { type Clock, nowSeconds } from '../lib/clock.js';
import { createSemaphore } from '../lib/semaphore.js';
import { abandoned, preconditionFailed, RequestError } from '../request-error.js';
import { driveSpace } from '../spaces.js';
import { type CopyFiles, createCopyFiles } from './copy-files.js';
import { createSweep, discard, type Sweep } from './garbage.js';
import { createLeases } from './leases.js';
import { defaultInlineFileBytes } from './limits.js';
import { type ListPage, type ListQuery, listNames } from './list.js';
import { createFileReader, type OpenFile } from './open-file.js';
import { type Source, storePiece } from './piece.js';
import {
  etagOf,
  type FileRow,
  fileRow,
  isFileExpired,
  liveFile,
  nameKey,
  readFile,
  readRow,
} from './rows.js';
import { moveFiles } from './transfer.js';
import type { TransferBody } from './transfer-body.js';
import { createUploads, type Uploads } from './uploads.js';

/** A new file: its bytes, whose source limits their number, and its content type. */
export interface NewFile {
  readonly source: Source;
  readonly contentType: string;
  /** A condition on the existing file, checked in the transaction that replaces it. */
  readonly condition?: WriteCondition | undefined;
  /** From this second on the file does not exist: whole seconds since 1970 UTC. */
  readonly expiresAtSeconds?: number | undefined;
}

/** What becomes of a file; undefined: it stays. */
export interface FileChanges {
  readonly contentType?: string | undefined;
  /** Whole seconds since 1970 UTC; null: the file does not expire. */
  readonly expiresAtSeconds?: number | null | undefined;
}

/** The operations of the file API over any two engines. Names are valid: the routes check them. */
export interface DriveService {
  /**
   * Stores a file, in place of one of the same name (docs/http.md#put-file). Throws the 412 `RequestError` of a
   * condition that does not hold: then nothing is stored.
   */
  put(project: string, drive: string, name: string, file: NewFile): Promise<void>;
  /** The file as it is now, until it is released; undefined when it is missing (docs/http.md#download-file). */
  open(project: string, drive: string, name: string): OpenFile | undefined | Promise<OpenFile | undefined>;
  /** One page of names in their order (docs/http.md#list-files). */
  list(project: string, drive: string, query: Omit<ListQuery, 'nowSeconds'>): Promise<ListPage>;
  /** Deletes all of these in one step; it is not an error if a name does not exist (docs/http.md#delete-files). */
  remove(project: string, drive: string, names: readonly string[]): Promise<void>;
  /** Deletes all files, and gives their number; uploads stay open (docs/http.md#delete-all-files). */
  removeAll(project: string, drive: string, isAbandoned: () => boolean): Promise<number>;
  /** Changes what is known of a file, and gives it; undefined when it is missing (docs/http.md#change-file). */
  change(project: string, drive: string, name: string, changes: FileChanges): Promise<FileRow | undefined>;
  /** Gives all of these files other names in one step (docs/http.md#move-files). Throws its 404 and 409. */
  move(project: string, drive: string, body: TransferBody): Promise<void>;
  /** Copies all of these files (docs/http.md#copy-files). Throws its 400, 404 and 409. */
  readonly copy: CopyFiles;
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
  /** An upload is dropped this long after its last request (docs/http.md#abandoned-uploads). */
  readonly uploadTtlSeconds: number;
  /** How long the bytes of overwritten and deleted files are kept. */
  readonly garbageGraceSeconds?: number;
  /** Files and parts up to this size are stored in a row. */
  readonly inlineFileBytes?: number;
}

export function createDriveService(parts: DriveServiceParts): DriveService {
  const { items, blobs, clock, settings, wakeMaintenance } = parts;
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

  /** One batch at a time for all calls of `removeAll`, so that writers wait for one batch at most. */
  const oneAtATime = createSemaphore(() => 1);

  /** Deletes the files of these rows in one step, and gives the number of those that existed. */
  async function removeNames(space: string, keys: readonly string[]): Promise<number> {
    const deleted = await items.transact(space, keys, (rows): Change<number> => {
      const due = garbageDue();
      const discarded = rows.map((row) => discard(row && readRow<FileRow>(row), due));
      const existing = keys.filter((_, index) => rows[index] !== undefined);
      return {
        puts: discarded.flatMap((content) => content.puts),
        deletes: [...existing, ...discarded.flatMap((content) => content.deletes)],
        result: rows.filter((row) => liveFile(row, nowSeconds(clock)) !== undefined).length,
      };
    });
    wakeMaintenance();
    return deleted;
  }

  /** Deletes a file that has expired; its bytes become garbage. A file that was put or changed meanwhile stays. */
  async function expireFile(space: string, key: string): Promise<void> {
    await items.transact(space, [key], ([row]): Change<undefined> => {
      const file = readFile(row);
      if (file === undefined || !isFileExpired(file, nowSeconds(clock))) return { result: undefined };
      const old = discard(file, garbageDue());
      return { puts: old.puts, deletes: [key, ...old.deletes], result: undefined };
    });
    wakeMaintenance();
  }

  return {
    async put(project, drive, name, { source, contentType, condition, expiresAtSeconds }) {
      const space = driveSpace(project, drive);
      const key = nameKey(name);
      // Checked before the body is read, so that no client sends megabytes in vain.
      if (condition !== undefined)
        requireCondition(condition, liveFile(await items.get(space, key), nowSeconds(clock)));
      const { piece, puts } = await storePiece(blobs, source, inlineFileBytes);
      try {
        const isGarbageMade = await items.transact(space, [key], ([row]): Change<boolean> => {
          const before = readFile(row);
          if (condition !== undefined) requireCondition(condition, liveFile(row, nowSeconds(clock)));
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
        // The condition did not hold. After any other error, the row may have been written.
        if (cause instanceof RequestError && piece.layout === 'blob') await blobs.delete([piece.id]);
        throw cause;
      }
    },

    open: (project, drive, name) => reader.open(driveSpace(project, drive), name),

    list: (project, drive, query) =>
      listNames(items, driveSpace(project, drive), { ...query, nowSeconds: nowSeconds(clock) }),

    async remove(project, drive, names) {
      await removeNames(driveSpace(project, drive), names.map(nameKey));
    },

    async removeAll(project, drive, isAbandoned) {
      const space = driveSpace(project, drive);
      let deleted = 0;
      for await (const keys of keyBatches(items, space, nameKey(''))) {
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

    async change(project, drive, name, { contentType, expiresAtSeconds }) {
      const key = nameKey(name);
      return await items.transact(driveSpace(project, drive), [key], ([row]): Change<FileRow | undefined> => {
        const file = liveFile(row, nowSeconds(clock));
        if (file === undefined) return { result: undefined };
        const isNewType = contentType !== undefined && contentType !== file.contentType;
        const changed: FileRow = {
          ...file,
          contentType: contentType ?? file.contentType,
          expiresAtSeconds:
            expiresAtSeconds === undefined ? file.expiresAtSeconds : (expiresAtSeconds ?? undefined),
          revision: isNewType ? (file.revision ?? 0) + 1 : file.revision,
        };
        return { puts: [fileRow(name, changed)], result: changed };
      });
    },

    copy,
    uploads,
    sweep: createSweep({ items, blobs, leases, dropUpload: uploads.dropUpload, expireFile }),
  };
}

/** Throws the 412 `RequestError` of a condition that does not hold for this file. */
function requireCondition(condition: WriteCondition, file: FileRow | undefined): void {
  const problem = condition(file && etagOf(file));
  if (problem !== undefined) throw preconditionFailed(problem);
}
