import type { ChangesOptions, FileChange, Live } from '../feed/changes.js';
import type { LiveQuery } from '../feed/live.js';
import type { CallOptions } from '../http/endpoint.js';
import type { FileData, FileSource } from '../http/source.js';
import type { DriveStats, FileDetails, GetUploadResponse, OpenUpload, TrashedFile } from '../http-types.js';
import type { Expiry } from '../items/expiry.js';
import type { DriveFile } from './drive-file.js';
import type { FileMetadata } from './metadata.js';
import type { GetFileProgress, PutFileProgress } from './progress.js';
import type { Sharing } from './sharing.js';

export interface PutFileOptions extends CallOptions, Expiry {
  /** Default: the type of the Blob or File, else derived from the extension of the name. */
  readonly contentType?: string | undefined;
  /** What to note of the file (docs/http.md#file-metadata). */
  readonly metadata?: FileMetadata | undefined;
  /**
   * Store only if the file of this name has this ETag (`etag` of a file that was read or listed); `*`: if there is one.
   * Otherwise the call rejects with code `condition_failed`.
   */
  readonly ifMatch?: string | undefined;
  /**
   * `*`: store only if no file has this name. An ETag: store only if the file does not have it. Otherwise as `ifMatch`.
   */
  readonly ifNoneMatch?: string | undefined;
  /** Called as bytes are sent (browsers) or when a part is stored (elsewhere), and once when all is stored. */
  readonly onProgress?: ((progress: PutFileProgress) => void) | undefined;
  /** Parts of a large file in flight at once, 1 or more; default 4. */
  readonly concurrency?: number | undefined;
  /**
   * Keeps the upload of a large file open when the call fails or is aborted, so that a later call resumes it. Without
   * this, such a call drops what it has sent.
   */
  readonly resume?: ResumeOptions | undefined;
}

/** How an upload in parts is resumed, and what is needed to do so. */
export interface ResumeOptions {
  /**
   * The upload that an earlier call of the same name with the same bytes has begun. What the service has of it is not
   * sent again. If the service does not have it any more, all is sent. Absent in the first call.
   */
  readonly uploadId?: string | undefined;
  /** Called with the id of the upload when a new one was opened: keep it until the call succeeds. */
  readonly onOpen: (uploadId: string) => void;
}

/** Bytes `from` to `to`, counted from 0, both included; or the `last` bytes of the file. */
export type ByteRange =
  | { readonly from: number; readonly to?: number | undefined }
  | { readonly last: number };

export interface GetFileOptions extends CallOptions {
  /** Only these bytes of the file. */
  readonly range?: ByteRange | undefined;
  /** Only if the file has this ETag. Otherwise the call rejects with code `condition_failed`. */
  readonly ifMatch?: string | undefined;
  /** Whether a name that ends in `/` is that of the marker of a folder (docs/http.md#folder-markers). */
  readonly folder?: boolean | undefined;
  /** Called as bytes arrive, and once when all have arrived. Bytes arrive when the file is read. */
  readonly onProgress?: ((progress: GetFileProgress) => void) | undefined;
}

/** By what a list of files is ordered; `-`: downwards (docs/http.md#ordered-lists). */
export type FileOrder = 'name' | 'size' | 'modified' | 'content_type';

export interface NamesOptions extends CallOptions {
  /** Only names that begin with this. */
  readonly prefix?: string | undefined;
  /** Only names that contain this after the prefix. */
  readonly contains?: string | undefined;
  /** Default: by name. */
  readonly order?: FileOrder | `-${FileOrder}` | undefined;
  /** Continue after this name; with `order`, after this `paging.last`. */
  readonly last?: string | undefined;
  /**
   * False: names are cut after the first `/` that follows the prefix, and each such directory is listed once. Default
   * true.
   */
  readonly recursive?: boolean | undefined;
  /** True: the markers of folders in place of files (docs/http.md#folder-markers). */
  readonly folders?: boolean | undefined;
}

export interface ListOptions extends NamesOptions {
  /** 1 to 1000; default 1000. */
  readonly limit?: number | undefined;
  /** Whether the result has `files`: size, content type, time and ETag of each file. Default false. */
  readonly details?: boolean | undefined;
}

export interface LiveFilesOptions extends Pick<NamesOptions, 'prefix' | 'order' | 'signal'> {
  /** How many, from the first in the order on: 1 or more; default 1000. `Infinity`: all, which are then in memory. */
  readonly limit?: number | undefined;
}

export interface ListResult {
  names: string[];
  /** Present with `details`: the same names in the same order. A directory has only its `name`. */
  files?: FileDetails[];
  /** Present when more names follow: `last` is what to continue after. */
  paging?: { size: number; last: string };
}

/** A file, and the name that it or its copy gets. */
export interface FileTransfer {
  readonly from: string;
  readonly to: string;
}

export interface TransferOptions extends CallOptions {
  /** Whether files named `to` are replaced. Default false: an existing file is a conflict. */
  readonly overwrite?: boolean | undefined;
}

/** Whether names that end in `/` are those of the markers of folders (docs/http.md#folder-markers). */
interface WithFolders {
  readonly folder?: boolean | undefined;
}

export interface MoveOptions extends TransferOptions, WithFolders {}

export interface DeleteFilesOptions extends CallOptions, WithFolders {}

/** The changes of a file. What is absent stays as it is. */
export interface FileChanges {
  /** Seconds from now on, by the clock of the service. */
  readonly expireIn?: number | undefined;
  /** Or a date, or whole seconds since 1970 UTC; null: the file does not expire. */
  readonly expireAt?: Date | number | null | undefined;
  readonly contentType?: string | undefined;
  /** What to note of the file; null takes a name away. Names that are absent stay. null in place of an object: all go. */
  readonly metadata?: Readonly<Record<string, string | null>> | null | undefined;
}

export interface TrashOptions extends CallOptions {
  /** Only names that begin with this. */
  readonly prefix?: string | undefined;
}

/** A file that comes back from the trash: its id there. Default for `name`: the name that it had. */
export interface RestoredFile {
  readonly id: string;
  readonly name?: string | undefined;
}

export interface DriveSettings {
  /** How long deleted and overwritten files can come back: `30d`; `0s`: not at all; null: as the operator has set it. */
  readonly trash: string | null;
  /** Whether the drive exists also while it has no file, as a bucket does. Absent: no. */
  readonly kept?: boolean;
  /** Where who made it says that the drive is, as `eu-west-1`: the region of the bucket. Absent: nowhere in particular. */
  readonly location?: string;
}

export interface DeleteManyResult {
  /** The names that no longer exist, those that never existed included. */
  deleted: string[];
  /** The names that were not deleted, each with the reason. */
  failed: Record<string, string>;
}

/**
 * A drive: files, each with a name of 1 to 1024 bytes of UTF-8, in which `/` separates directories. Every call
 * rejects with a `BasedriveError`, or with what your own source or callback threw.
 */
export interface Drive extends Sharing {
  /**
   * Stores a file of any size and replaces any file of that name. Up to 10 MiB are sent in one request
   * (docs/http.md#put-file). A larger file is sent in parts (docs/http.md#chunked-upload); a part that fails is sent
   * again. Memory holds at most `concurrency` + 2 parts. The service serves the old file until the new one is
   * complete.
   *
   * A call that fails or is aborted drops its upload before it rejects, for which it waits up to 10 s. If the service
   * cannot be reached in that time, it drops the upload by itself a day later. If the last request of a call is
   * aborted or its answer is lost, the file may or may not be stored.
   * @returns the name
   * @throws code `refused` for a bad name, `invalid` for data that cannot be read
   * @example await photos.put('cat.png', { path: './cat.png' }, { onProgress: ({ sent, total }) => console.log(sent, total) });
   */
  put(name: string, data: FileData | FileSource, options?: PutFileOptions): Promise<string>;

  /**
   * Opens a file (docs/http.md#download-file). `timeoutMs` ends with the arrival of the file's first byte; `signal`
   * also ends the reading.
   * @returns the file, which can be read once; or null if it does not exist
   * @throws code `refused` and status 416 when the file has no byte in the range; `invalid` when `range` is none
   * @example const text = await (await photos.get('notes/hello.txt'))?.text();
   */
  get(name: string, options?: GetFileOptions): Promise<DriveFile | null>;

  /**
   * Reads one page of names, in the order of their UTF-8 bytes (docs/http.md#list-files).
   * @returns `names`, and `paging` when more follow
   * @example const { names, paging } = await photos.list({ prefix: 'notes/', limit: 100 });
   */
  list(options?: ListOptions): Promise<ListResult>;

  /**
   * Iterates over all names, and requests each page when it is needed.
   * @example for await (const name of photos.names({ prefix: 'notes/' })) console.log(name);
   */
  names(options?: NamesOptions): AsyncGenerator<string, void, undefined>;

  /**
   * Iterates over all files with their sizes, content types, times and ETags, and requests each page when it is needed
   * (docs/http.md#file-details). With `recursive: false`, a directory has only its `name`.
   * @example for await (const { name, size } of photos.files({ prefix: 'notes/' })) console.log(name, size);
   */
  files(options?: NamesOptions): AsyncGenerator<FileDetails, void, undefined>;

  /**
   * Changes when a file expires, its content type, and its metadata (docs/http.md#change-file).
   * @returns the details of the file, or null if it does not exist
   * @example await photos.change('cat.png', { expireAt: new Date('2030-01-01') });
   */
  change(name: string, changes: FileChanges, options?: CallOptions): Promise<FileDetails | null>;

  /**
   * Gives 1 to 1000 files other names: all of them or none, without copying a byte (docs/http.md#move-files).
   * @returns the number of files
   * @throws code `not_found` when a `from` does not exist, code `conflict` when a `to` exists
   * @example await photos.move([{ from: 'cat.png', to: 'animals/cat.png' }]);
   */
  move(files: Iterable<FileTransfer>, options?: MoveOptions): Promise<number>;

  /**
   * Copies 1 to 1000 files: all of them or none. Each copy appears completely (docs/http.md#copy-files). Without
   * `timeoutMs`, the call has no time limit.
   * @returns the number of files
   * @throws as `move` does
   * @example await photos.copy([{ from: 'cat.png', to: 'backup/cat.png' }], { overwrite: true });
   */
  copy(files: Iterable<FileTransfer>, options?: TransferOptions): Promise<number>;

  /**
   * Deletes a file. It is no error if the file does not exist.
   * @returns the name
   * @example await photos.delete('cat.png');
   */
  delete(name: string, options?: CallOptions): Promise<string>;

  /**
   * Deletes any number of files, a thousand per request (docs/http.md#delete-files).
   * @throws code `refused` when every name is bad
   * @example const { deleted, failed } = await photos.deleteMany(['cat.png', 'dog.png']);
   */
  deleteMany(names: Iterable<string>, options?: DeleteFilesOptions): Promise<DeleteManyResult>;

  /**
   * Iterates over the files in the trash, what was deleted last first (docs/http.md#trash).
   * @example for await (const { id, name, deleted } of photos.trash()) console.log(id, name, new Date(1000 * deleted));
   */
  trash(options?: TrashOptions): AsyncGenerator<TrashedFile, void, undefined>;

  /**
   * Gives files from the trash their names back: all of them or none.
   * @returns the number of files
   * @throws code `not_found` when a file is not in the trash, code `conflict` when its name is taken
   * @example await photos.restore([{ id }]);
   */
  restore(files: Iterable<RestoredFile>, options?: TransferOptions): Promise<number>;

  /**
   * Deletes files of the trash for good: those with these ids, or without ids all of them.
   * @returns the number of files
   * @example await photos.emptyTrash();
   */
  emptyTrash(ids?: Iterable<string>, options?: CallOptions): Promise<number>;

  /**
   * The settings of the drive (docs/http.md#settings).
   * @returns `trash`: how long the trash keeps files; null: there is none. `kept`: whether the drive also exists while it
   * is empty. `location`: where it is said to be
   */
  settings(options?: CallOptions): Promise<DriveSettings>;

  /**
   * Changes them.
   * @returns the settings
   * @example await photos.changeSettings({ trash: '30d' });
   */
  changeSettings(settings: Partial<DriveSettings>, options?: CallOptions): Promise<DriveSettings>;

  /**
   * Iterates over the open uploads of files sent in parts, and requests each page when it is needed
   * (docs/http.md#list-uploads).
   * @example for await (const { name, upload_id } of photos.uploads()) console.log(name, upload_id);
   */
  uploads(options?: CallOptions): AsyncGenerator<OpenUpload, void, undefined>;

  /**
   * The parts that an open upload has (docs/http.md#get-upload).
   * @returns null if the upload is unknown
   * @example const upload = await photos.upload('film.mp4', id);
   */
  upload(name: string, uploadId: string, options?: CallOptions): Promise<GetUploadResponse | null>;

  /**
   * The number of files and the bytes of their contents (docs/http.md#statistics).
   * @returns what is never estimated: with `exact` false, what was counted last, at the second `as_of`, or nothing yet
   * @example const { files, bytes, exact } = await photos.stats();
   */
  stats(options?: CallOptions): Promise<DriveStats>;

  /**
   * Iterates over what changes in the drive, as it happens, like `changes` of a base (docs/http.md#changes).
   * @example for await (const change of photos.changes()) console.log(change.type, change);
   */
  changes(options?: ChangesOptions): AsyncGenerator<FileChange | Live, void, undefined>;

  /**
   * Calls `onChange` with the details of files, in their order: at once, and whenever they change, until it is closed, like
   * `live` of a base.
   * @example const live = photos.live({ prefix: '2026/', order: '-modified', limit: 20 }, (files) => show(files));
   */
  live(options: LiveFilesOptions, onChange: (files: FileDetails[]) => void): LiveQuery;

  /**
   * Deletes all files, in batches, for as long as it takes: without `timeoutMs`, the call has no time limit. Files that
   * others put in the meantime are deleted or stay, and so do open uploads (docs/http.md#delete-all-files). A call that is
   * aborted stops after some of the files.
   * @returns the number of deleted files; if an answer was lost, of those that the repeated request deleted
   * @example console.log(await photos.deleteAll());
   */
  deleteAll(options?: CallOptions): Promise<number>;
}
