import type { FileMetadata } from '../../drive/metadata.js';
import { openDrive } from '../../drive/open-drive.js';
import { endpointOf } from '../api/address.js';
import { findFile, type RemoteFile } from '../api/project.js';
import { FileChanged, readFileBytes, readFileParts } from '../api/read.js';
import { type BroughtAlong, maxFileBytes, storeFile } from '../api/write.js';
import { createDigest, digestOf } from '../digest.js';
import type { FileEntry, PartEntry } from '../layout/manifest.js';
import { createSemaphore } from '../semaphore.js';
import { givenPartsOf } from './given-parts.js';
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
    const known = hadFiles.get(drive) ?? hasFiles(drive);
    hadFiles.set(drive, known);
    return known;
  }

  async function hasFiles(drive: string): Promise<boolean> {
    const options = { limit: 1, signal: address.signal };
    const opened = openDrive(endpointOf(address, drive));
    const lists = await Promise.all([opened.list(options), opened.list({ ...options, folders: true })]);
    return lists.some(({ names }) => names.length > 0);
  }

  return async (file) => {
    const { drive, name, source, entry, sha256 } = file;
    const { content_type: contentType, expires, metadata, headers, md5, checksum } = entry ?? {};
    const brought = { headers, md5, checksum };
    const isExpired = expires !== undefined && expires * 1000 <= run.nowMs();
    const before = isExpired || !(await hadAny(drive)) ? undefined : await findFile(address, drive, name);
    const givenParts = givenPartsOf(entry?.parts, source.size);
    const target = { name, contentType, brought, givenParts, expires, metadata, onlyNew, before };
    const store = () => {
      if (source.size > maxFileBytes)
        throw new BrokenFile(`is larger than a file may be (${maxFileBytes} bytes)`);
      const content = { size: source.size, chunks: checked(source, sha256), inFlight };
      return storeFile(address, drive, target, content);
    };
    if (isExpired) report.filesExpired++;
    else if (before !== undefined && (onlyNew || (await isSame(run, file, before)))) report.filesKept++;
    else if (await store()) report.files++;
    else report.filesKept++;
    progress.add({ files: 1, bytes: source.size });
  };
}

/** Whether the service has this file already, in all that the source knows of it. */
async function isSame(
  { address }: ImportRun,
  { drive, source, entry, sha256: expected }: DriveFile,
  present: RemoteFile,
): Promise<boolean> {
  if (present.size !== source.size || present.expires !== entry?.expires) return false;
  if (entry !== undefined && present.content_type !== entry.content_type) return false;
  if (entry !== undefined && !isSameNote(present.metadata, entry.metadata)) return false;
  if (entry !== undefined && !isSameBrought(present, entry)) return false;
  const { sha256 } = await digestOf(checked(source, expected));
  const parts = givenPartsOf(entry?.parts, source.size) && entry?.parts;
  try {
    if (parts !== undefined && !areSameParts(parts, await readFileParts(address, drive, present)))
      return false;
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

function areSameParts(a: readonly PartEntry[], b: readonly PartEntry[] | undefined): boolean {
  if (b === undefined || a.length !== b.length) return false;
  return a.every(({ size, checksum }, n) => {
    return size === b[n]?.size && isSameNote({ ...checksum }, { ...b[n].checksum });
  });
}

function isSameBrought(a: BroughtAlong, b: BroughtAlong): boolean {
  return (
    a.md5 === b.md5 && isSameNote(a.headers, b.headers) && isSameNote({ ...a.checksum }, { ...b.checksum })
  );
}

function isSameNote(a: FileMetadata = {}, b: FileMetadata = {}): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}
