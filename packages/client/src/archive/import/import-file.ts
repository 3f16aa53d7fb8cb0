import { findFile, hasFiles, type RemoteFile } from '../api/project.js';
import { FileChanged, readFileBytes } from '../api/read.js';
import { maxFileBytes, maxPutBytes, type NewFile, putFile, uploadFile } from '../api/write.js';
import { createDigest, digestOf } from '../digest.js';
import type { FileEntry } from '../layout/manifest.js';
import { createSemaphore, type Semaphore } from '../semaphore.js';
import type { ImportRun } from './import-run.js';
import { BrokenFile, type SourceFile } from './source.js';

/** A file to import, and what `basedrive.json` says of it. */
export interface DriveFile {
  readonly drive: string;
  readonly name: string;
  readonly source: SourceFile;
  readonly entry: FileEntry | undefined;
  /** What its bytes are compared with; undefined: nothing. */
  readonly sha256: string | undefined;
}

/** Parts in memory at once, of all files together: it is not more for one file than for several. */
const partsInFlight = 4;

/** Stores files. A drive that had no files before the import is not asked for each of them. */
export function createFileImport(run: ImportRun): (file: DriveFile) => Promise<void> {
  const { address, onlyNew, progress, report } = run;
  const hadFiles = new Map<string, Promise<boolean>>();
  const inFlight = createSemaphore(partsInFlight);

  function hadAny(drive: string): Promise<boolean> {
    const known = hadFiles.get(drive) ?? hasFiles(address, drive);
    hadFiles.set(drive, known);
    return known;
  }

  return async (file) => {
    const { drive, name, source, entry } = file;
    const target: NewFile = { name, contentType: entry?.content_type, expires: entry?.expires, onlyNew };
    const isExpired = target.expires !== undefined && target.expires * 1000 <= run.nowMs();
    const present = isExpired || !(await hadAny(drive)) ? undefined : await findFile(address, drive, name);
    if (isExpired) report.filesExpired++;
    else if (present !== undefined && (onlyNew || (await isSame(run, file, present)))) report.filesKept++;
    else if (await store(run, file, { target, inFlight })) report.files++;
    else report.filesKept++;
    progress.add({ files: 1, bytes: source.size });
  };
}

/** Stores a file. Gives false if another one has taken its name. Throws `BrokenFile`; then nothing is stored. */
async function store(
  { address }: ImportRun,
  { drive, source, sha256: expected }: DriveFile,
  { target, inFlight }: { readonly target: NewFile; readonly inFlight: Semaphore },
): Promise<boolean> {
  if (source.size > maxFileBytes)
    throw new BrokenFile(`is larger than a file may be (${maxFileBytes} bytes)`);
  const read = () => partsOf(checked(source, expected));
  if (source.size <= maxPutBytes) {
    const isStored = await inFlight(async () => {
      const whole = await onlyPart(read());
      return whole === undefined ? undefined : await putFile(address, drive, target, whole);
    });
    if (isStored !== undefined) return isStored;
  }
  return await uploadFile(address, drive, target, { parts: read(), inFlight });
}

/** The bytes of a file that is one part; undefined if it has grown and is more. Reading to the end has compared the checksum. */
async function onlyPart(parts: AsyncGenerator<Buffer, void, undefined>): Promise<Buffer | undefined> {
  let only: Buffer = Buffer.alloc(0);
  let count = 0;
  for await (const part of parts) {
    if (++count > 1) return undefined;
    only = part;
  }
  return only;
}

/** Whether the service has this file already, in all that the source knows of it. */
async function isSame(
  { address }: ImportRun,
  { drive, source, entry, sha256: expected }: DriveFile,
  present: RemoteFile,
): Promise<boolean> {
  if (present.size !== source.size || present.expires !== entry?.expires) return false;
  if (entry !== undefined && present.contentType !== entry.content_type) return false;
  const { sha256 } = await digestOf(checked(source, expected));
  try {
    return (await digestOf(readFileBytes(address, drive, present))).sha256 === sha256;
  } catch (cause) {
    if (!(cause instanceof FileChanged)) throw cause;
    return false;
  }
}

/** The bytes of a file. Before the end, they are compared with what `basedrive.json` says. */
async function* checked(
  source: SourceFile,
  expected: string | undefined,
): AsyncGenerator<Buffer, void, undefined> {
  const digest = createDigest();
  yield* digest.through(source.open());
  if (expected !== undefined && digest.end().sha256 !== expected) throw new BrokenFile(otherChecksum);
}

/** What is wrong with a file that was changed after it was exported. */
export const otherChecksum =
  'has another checksum than basedrive.json says: it is damaged, or was changed (then accept that: --accept-changes, acceptChanges)';

/** Joins chunks to parts of `maxPutBytes`; the last one may be smaller. */
async function* partsOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    let rest = chunk;
    while (bytes + rest.length >= maxPutBytes) {
      const taken = rest.subarray(0, maxPutBytes - bytes);
      yield Buffer.concat([...waiting, taken]);
      rest = rest.subarray(taken.length);
      waiting = [];
      bytes = 0;
    }
    if (rest.length > 0) waiting.push(rest);
    bytes += rest.length;
  }
  if (bytes > 0) yield Buffer.concat(waiting);
}
