import { client } from '../api/session.js';
import type { Entry } from './entry.js';
import { createPaths } from './zip-paths.js';

/** Files up to this size are read ahead, so that thousands of small ones do not wait for each other. */
const aheadBytes = 256 * 1024;
const aheadFiles = 6;

/** What goes into a zip: how far it is. */
export interface ZipProgress {
  onBytes(bytes: number): void;
  /** A file is in the zip, or was gone when it was its turn. */
  onFile(isThere: boolean): void;
}

interface ZipFile {
  readonly name: string;
  readonly modified: number;
  readonly size: number;
}

interface ZipEntry {
  readonly name: string;
  readonly lastModified: Date;
  readonly input: ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>;
}

/**
 * The files of a folder, and those below the chosen folders in it, as one zip: a stream, so that no size is too large
 * (Zip64). Nothing is compressed. Paths begin below `folder`.
 */
export async function zipOf(
  drive: string,
  folder: string,
  entries: readonly Entry[],
  progress: ZipProgress,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  // Loaded when the first zip is made.
  const { makeZip } = await import('client-zip');
  const files = zipEntries(drive, folder, filesOf(drive, entries, signal), progress, signal);
  return makeZip(files) as ReadableStream<Uint8Array<ArrayBuffer>>;
}

async function* filesOf(
  drive: string,
  entries: readonly Entry[],
  signal: AbortSignal,
): AsyncGenerator<ZipFile> {
  for (const { name, file } of entries) {
    if (file !== undefined) yield file;
    else
      for await (const below of client().Drive(drive).files({ prefix: name, signal }))
        if (below.size !== undefined && below.modified !== undefined) yield below as ZipFile;
  }
}

async function* zipEntries(
  drive: string,
  folder: string,
  files: AsyncIterable<ZipFile>,
  { onBytes, onFile }: ZipProgress,
  signal: AbortSignal,
): AsyncGenerator<ZipEntry> {
  const pathOf = createPaths(folder);
  for await (const { file, read } of readAhead(drive, files, signal)) {
    const found = await (read ?? client().Drive(drive).get(file.name, { signal }));
    onFile(found !== null);
    if (found === null) continue;
    const entry = { name: pathOf(file.name), lastModified: new Date(file.modified * 1000) };
    if (found instanceof Uint8Array) {
      onBytes(found.byteLength);
      yield { ...entry, input: found };
    } else {
      yield { ...entry, input: found.stream().pipeThrough(counted(onBytes)) };
    }
  }
}

type SmallRead = Promise<Uint8Array<ArrayBuffer> | null>;

/** Gives the files in their order, and begins to read the next small ones meanwhile. */
async function* readAhead(
  drive: string,
  files: AsyncIterable<ZipFile>,
  signal: AbortSignal,
): AsyncGenerator<{ file: ZipFile; read: SmallRead | undefined }> {
  const waiting: { file: ZipFile; read: SmallRead | undefined }[] = [];
  const small = async (name: string) => (await client().Drive(drive).get(name, { signal }))?.bytes() ?? null;
  for await (const file of files) {
    const read = file.size > aheadBytes ? undefined : small(file.name);
    // A failure is met when it is this file's turn.
    read?.catch(() => {});
    waiting.push({ file, read });
    const first = waiting.length > aheadFiles ? waiting.shift() : undefined;
    if (first !== undefined) yield first;
  }
  yield* waiting;
}

function counted(onBytes: (bytes: number) => void): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform(chunk, controller) {
      onBytes(chunk.byteLength);
      controller.enqueue(chunk);
    },
  });
}
