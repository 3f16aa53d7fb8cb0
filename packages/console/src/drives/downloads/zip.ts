import { send } from '../../api/request.js';
import { client } from '../../api/session.js';
import type { Entry } from '../entry.js';
import { filesOf } from '../entry-files.js';
import { createPaths } from './zip-paths.js';

/** Files up to this size are read ahead, so that thousands of small ones do not wait for each other. */
const smallBytes = 1024 * 1024;
/** How much is read ahead. A browser has six requests in progress at a time; the others are there when one ends. */
const aheadFiles = 24;
const aheadBytes = 8 * 1024 * 1024;

/** What goes into a zip: how far it is. */
export interface ZipProgress {
  onBytes(bytes: number): void;
  /** A file is in the zip, or was gone when it was its turn. */
  onFile(name: string, isThere: boolean): void;
}

/** The folder of which a zip is made, until the signal. */
export interface ZipPlace {
  readonly drive: string;
  readonly folder: string;
  readonly signal: AbortSignal;
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
  place: ZipPlace,
  entries: readonly Entry[],
  progress: ZipProgress,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const { drive, signal } = place;
  // Loaded when the first zip is made.
  const { makeZip } = await import('client-zip');
  const chosen = filesOf<ZipFile>(
    entries,
    (file) => file,
    ({ name }) => detailsBelow(drive, name, signal),
  );
  const files = zipEntries(place, chosen, progress);
  return makeZip(files) as ReadableStream<Uint8Array<ArrayBuffer>>;
}

async function* detailsBelow(drive: string, prefix: string, signal: AbortSignal): AsyncGenerator<ZipFile> {
  for await (const { name, size, modified } of client().Drive(drive).files({ prefix, signal }))
    if (size !== undefined && modified !== undefined) yield { name, size, modified };
}

async function* zipEntries(
  { drive, folder, signal }: ZipPlace,
  files: AsyncIterable<ZipFile>,
  { onBytes, onFile }: ZipProgress,
): AsyncGenerator<ZipEntry> {
  const pathOf = createPaths(folder);
  for await (const { file, read } of readAhead(drive, files, signal)) {
    const found = await (read ?? client().Drive(drive).get(file.name, { signal }));
    onFile(file.name, found !== null);
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

/** Bytes of a small file on their way; null if it was gone. */
type SmallRead = Promise<Uint8Array<ArrayBuffer> | null>;

/** A file of the zip, and its bytes if they are read ahead. */
interface Waiting {
  readonly file: ZipFile;
  readonly read: SmallRead | undefined;
}

/** Gives the files in their order, and begins to read the next small ones in the meantime. */
async function* readAhead(
  drive: string,
  files: AsyncIterable<ZipFile>,
  signal: AbortSignal,
): AsyncGenerator<Waiting> {
  const waiting: Waiting[] = [];
  let bytes = 0;
  for await (const file of files) {
    const read = file.size > smallBytes ? undefined : readSmall(drive, file.name, signal);
    // A failure is met when it is this file's turn.
    read?.catch(() => {});
    waiting.push({ file, read });
    if (read !== undefined) bytes += file.size;
    while (waiting.length > aheadFiles || bytes > aheadBytes) {
      const first = waiting.shift();
      if (first === undefined) break;
      if (first.read !== undefined) bytes -= first.file.size;
      yield first;
    }
  }
  yield* waiting;
}

/**
 * Reads a small file as the browser gives it. The streams of the client library, which say how far a file is, take more
 * time than its bytes; what goes wrong is left to that library, which tries again.
 */
async function readSmall(drive: string, name: string, signal: AbortSignal): SmallRead {
  try {
    const path = `/${encodeURIComponent(drive)}/files/download?name=${encodeURIComponent(name)}`;
    return new Uint8Array(await (await send('GET', path, { signal })).arrayBuffer());
  } catch (cause) {
    if (signal.aborted) throw cause;
    return (await client().Drive(drive).get(name, { signal }))?.bytes() ?? null;
  }
}

function counted(onBytes: (bytes: number) => void): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform(chunk, controller) {
      onBytes(chunk.byteLength);
      controller.enqueue(chunk);
    },
  });
}
