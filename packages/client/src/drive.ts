import type { DriveFile } from './drive-file.js';
import type { CallOptions } from './endpoint.js';

/** Bytes, or what gives bytes. Texts are UTF-8. */
export type FileData =
  | string
  | ArrayBuffer
  | ArrayBufferView
  | Blob
  | ReadableStream<Uint8Array | string>
  | AsyncIterable<Uint8Array | string>;

/** A file to read, in Node; or the data with its type, as the old library took it. */
export type FileSource =
  | { readonly path: string; readonly contentType?: string | undefined }
  | { readonly data: FileData; readonly contentType?: string | undefined };

export interface PutFileOptions extends CallOptions {
  /** Default: the type of a Blob or File, else by the ending of the name. */
  readonly contentType?: string | undefined;
  /** Called as bytes leave (browsers) or whenever a part is stored (elsewhere), and once when all are stored. */
  readonly onProgress?: ((progress: PutFileProgress) => void) | undefined;
  /** Parts of a large file under way at once; default 4. */
  readonly concurrency?: number | undefined;
}

export interface PutFileProgress {
  /** Bytes; never fewer than before. */
  readonly sent: number;
  /** Bytes of the whole file; undefined for a stream whose end is not reached. */
  readonly total: number | undefined;
}

/** Bytes counted from 0, both ends included; `last`: so many at the end. */
export type ByteRange =
  | { readonly from: number; readonly to?: number | undefined }
  | { readonly last: number };

export interface GetFileOptions extends CallOptions {
  /** Only these bytes of the file. */
  readonly range?: ByteRange | undefined;
  /** Called as bytes arrive, and once when all have arrived. Bytes arrive when the file is read. */
  readonly onProgress?: ((progress: GetFileProgress) => void) | undefined;
}

export interface GetFileProgress {
  /** Bytes; never fewer than before. */
  readonly received: number;
  /** Bytes of the file, or of the range. Undefined until the end if the service does not announce it. */
  readonly total: number | undefined;
}

export interface NamesOptions extends CallOptions {
  /** Only names that begin so. */
  readonly prefix?: string | undefined;
  /** Go on behind this name. */
  readonly last?: string | undefined;
  /** False: names are cut behind the first `/` after the prefix, each such directory once. Default true. */
  readonly recursive?: boolean | undefined;
}

export interface ListOptions extends NamesOptions {
  /** 1 to 1000; default 1000. */
  readonly limit?: number | undefined;
}

export interface ListResult {
  names: string[];
  /** There when more names follow: `last` is what to go on behind. */
  paging?: { size: number; last: string };
}

export interface DeleteManyResult {
  /** Those that did not exist among them. */
  deleted: string[];
  /** A reason for each name that stayed. */
  failed: Record<string, string>;
}

/**
 * A drive: files, each found by its name of 1 to 1024 bytes of UTF-8, in which `/` stands between directories. Every call rejects with a
 * `BasedriveError`, or with what your own source or callback threw.
 */
export interface Drive {
  /**
   * Stores a file of any size, in place of any of that name. Up to 10 MiB go in one request, more goes in parts, each of
   * which is repeated when it fails; memory holds at most `concurrency` + 2 parts. Until all is there the old file is served. A call
   * that fails or is aborted leaves nothing behind.
   * @returns the name
   * @throws code `refused` for a bad name
   * @example await photos.put('cat.png', { path: './cat.png' }, { onProgress: ({ sent, total }) => console.log(sent, total) });
   */
  put(name: string, data: FileData | FileSource, options?: PutFileOptions): Promise<string>;

  /**
   * A file, to be read once; or null when there is none. `timeoutMs` is until the file begins, `signal` ends its reading, too.
   * @throws code `refused` and status 416 when no byte of the range lies within the file
   * @example const text = await (await photos.get('notes/hello.txt'))?.text();
   */
  get(name: string, options?: GetFileOptions): Promise<DriveFile | null>;

  /**
   * One page of names, in the order of their UTF-8 bytes.
   * @returns `names`, and `paging` when more follow
   * @example const { names, paging } = await photos.list({ prefix: 'notes/', limit: 100 });
   */
  list(options?: ListOptions): Promise<ListResult>;

  /**
   * Every name, page by page as they are asked for.
   * @example for await (const name of photos.names({ prefix: 'notes/' })) console.log(name);
   */
  names(options?: NamesOptions): AsyncGenerator<string, void, undefined>;

  /**
   * Deletes the file, if there is one.
   * @returns the name
   * @example await photos.delete('cat.png');
   */
  delete(name: string, options?: CallOptions): Promise<string>;

  /**
   * Deletes any number of files, a thousand a request.
   * @throws code `refused` when every name is bad
   * @example const { deleted, failed } = await photos.deleteMany(['cat.png', 'dog.png']);
   */
  deleteMany(names: Iterable<string>, options?: CallOptions): Promise<DeleteManyResult>;
}
