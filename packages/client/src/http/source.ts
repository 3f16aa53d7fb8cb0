import { joined } from '../lib/bytes.js';
import type { Deadline } from './deadline.js';
import { invalid } from './error.js';

/** Bytes, or a source of bytes. Strings are written as UTF-8. */
export type FileData =
  | string
  | ArrayBuffer
  | ArrayBufferView
  | Blob
  | ReadableStream<Uint8Array | string>
  | AsyncIterable<Uint8Array | string>;

/** The path of a file (Node only); or data with its content type, in the form of npm `deta`. */
export type FileSource =
  | { readonly path: string; readonly contentType?: string | undefined }
  | { readonly data: FileData; readonly contentType?: string | undefined };

export type Piece = Uint8Array | Blob;

/** What is read of a local file at once. */
const chunkBytes = 2 ** 20;

/** Bytes that are read piece by piece, in order. */
export interface Source {
  /** Number of bytes; undefined if it is only known at the end. */
  readonly size: number | undefined;
  readonly type: string | undefined;
  /** Reads the next bytes. Gives fewer than requested only at the end, and undefined after the end. */
  read(bytes: number): Promise<Piece | undefined>;
  close(): Promise<void>;
}

/** Opens file data of any form. Throws code `invalid` for anything else. */
export async function openSource(from: FileData | FileSource): Promise<Source> {
  if (typeof from === 'string') return slices(new TextEncoder().encode(from));
  if (from instanceof ArrayBuffer) return slices(new Uint8Array(from));
  if (ArrayBuffer.isView(from)) return slices(new Uint8Array(from.buffer, from.byteOffset, from.byteLength));
  if (from instanceof Blob) return slices(from, from.type || undefined);
  if (typeof from === 'object' && from !== null) {
    if ('getReader' in from) return chunked(chunksOf(from));
    if (Symbol.asyncIterator in from) return chunked(from[Symbol.asyncIterator]());
    // This is checked after the streams, because those of Node have a `path`, too.
    if (!Array.isArray(from)) return openGiven(from);
  }
  throw invalid(
    'Unsupported data format, expected data to be one of: string | bytes | Blob | stream | {path}',
  );
}

/** Closes what a call has read, and its deadline. */
export async function closeSource(source: Source, deadline: Deadline): Promise<void> {
  const closed = source.close();
  // A call that has ended does not wait for a source that gives nothing.
  if (deadline.error()) closed.catch(() => {});
  else await closed;
  deadline.close();
}

async function openGiven(from: {
  path?: string;
  data?: FileData;
  contentType?: string | undefined;
}): Promise<Source> {
  const { path, data, contentType } = from;
  if (path != null && data != null) throw invalid('Please only provide data or a path. Not both');
  if (data != null) {
    const source = await openSource(data);
    return { ...source, type: contentType ?? source.type };
  }
  if (!path) throw invalid('Please provide data or a path. Both are empty');
  return { ...(await openPath(path)), type: contentType };
}

/** Opens a local file (Node only). Throws code `invalid` if that is not possible, or it is a folder. */
async function openPath(path: string): Promise<Source> {
  const { process } = globalThis as { process?: Partial<Pick<NodeJS.Process, 'getBuiltinModule'>> };
  // It is not imported: bundlers for browsers could not resolve it.
  const fs = process?.getBuiltinModule?.('node:fs/promises');
  if (fs === undefined) throw invalid("Can't use path in browser environment");
  const file = await fs.open(path).catch((cause: Error) => {
    throw invalid(`The file cannot be read: ${cause.message}`);
  });
  const stats = await file.stat();
  if (stats.isDirectory()) {
    await file.close();
    throw invalid(`The path is a folder, not a file: ${path}`);
  }
  const chunks = {
    async next() {
      const { bytesRead, buffer } = await file.read({ buffer: new Uint8Array(chunkBytes) });
      return { done: bytesRead === 0, value: buffer.subarray(0, bytesRead) };
    },
    return: () => file.close(),
  };
  // A pipe or a device has no size of its own.
  return { ...chunked(chunks), size: stats.isFile() ? stats.size : undefined };
}

function slices(whole: Piece, type?: string): Source {
  const size = whole instanceof Blob ? whole.size : whole.byteLength;
  let at = 0;
  return {
    size,
    type,
    async read(bytes) {
      if (at >= size) return undefined;
      const from = at;
      at = Math.min(size, at + bytes);
      return whole instanceof Blob ? whole.slice(from, at) : whole.subarray(from, at);
    },
    async close() {},
  };
}

/** Iterates over a stream; not every browser can do this itself. Ending the iteration early cancels the stream. */
function chunksOf(stream: ReadableStream<unknown>): AsyncIterator<unknown, undefined, undefined> {
  const reader = stream.getReader();
  const end = { done: true, value: undefined } as const;
  return {
    async next() {
      const { done, value } = await reader.read();
      return done ? end : { done, value };
    },
    async return() {
      // Cancelling a stream that has failed rejects with its error.
      await reader.cancel().catch(() => {});
      return end;
    },
  };
}

interface Chunks {
  next(): Promise<{ readonly done?: boolean | undefined; readonly value?: unknown }>;
  return?(): Promise<unknown>;
}

/** Makes pieces of the requested size from chunks of any size. */
export function chunked(chunks: Chunks): Source {
  let rest: Uint8Array = new Uint8Array();
  return {
    size: undefined,
    type: undefined,
    async read(bytes) {
      const parts: Uint8Array[] = [];
      let left = bytes;
      while (left > 0) {
        if (rest.length === 0) {
          const chunk = await chunks.next();
          if (chunk.done) break;
          rest = bytesOf(chunk.value);
        }
        const part = rest.subarray(0, left);
        parts.push(part);
        left -= part.length;
        rest = rest.subarray(part.length);
      }
      return left === bytes ? undefined : joined(parts);
    },
    async close() {
      await chunks.return?.();
    },
  };
}

/** A copy: a source may use its buffer again. */
function bytesOf(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return new Uint8Array(chunk);
  if (typeof chunk === 'string') return new TextEncoder().encode(chunk);
  throw invalid('Unsupported data format, expected a stream of bytes or strings');
}
