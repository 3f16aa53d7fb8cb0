import { crc32 } from 'node:zlib';
import { type Entry, getFileNameLowLevel, openPromise, validateFileName, type ZipFile } from 'yauzl';
import { BasedriveError } from '../../http/error.js';
import type { SetAside } from './report.js';
import { BrokenFile, type ImportSource, onlyRoot, rootIn, type SourceFile } from './source.js';

/** A smaller file cannot fill a disk, however well it is compressed. */
const smallBytes = 64 * 1024 * 1024;
const localHeaderBytes = 30;
const unixMadeBy = 3;
const fileTypeMask = 0o170000;
const regularFile = 0o100000;
const directory = 0o040000;
const maxPathBytes = 4096;

export interface ZipOptions {
  /** A file that is more than this number of times larger than its compressed form is set aside. */
  readonly maxRatio: number;
}

/** An entry with its path, and why it is not read. */
interface Member {
  readonly entry: Entry;
  readonly path: string;
  readonly problem: string | undefined;
}

/**
 * Opens a zip archive that is to be imported. What is not safe to read is set aside. Throws code `bad_archive` for a file that
 * is not a whole archive, and for one whose entries share bytes, which only an attack does.
 */
export async function openZipSource(path: string, options: ZipOptions): Promise<ImportSource> {
  const zip = await openPromise(path, {
    autoClose: false,
    // Names and sizes are checked here: one bad entry must not hide the others.
    decodeStrings: false,
    validateEntrySizes: false,
  }).catch((cause: Error) => {
    throw notAnArchive(path, cause);
  });
  try {
    const members = await readMembers(zip, options).catch((cause: Error) => {
      throw notAnArchive(path, cause);
    });
    refuseSharedBytes(path, zip, members);
    return sourceOf(zip, path, members);
  } catch (cause) {
    zip.close();
    throw cause;
  }
}

function sourceOf(zip: ZipFile, archive: string, members: readonly Member[]): ImportSource {
  const root = rootOf(members, archive);
  const setAside: SetAside[] = [];
  const files = new Map<string, SourceFile>();
  const twice = new Set<string>();
  for (const { entry, path, problem } of members) {
    const below = path.startsWith(root) ? path.slice(root.length) : path;
    if (problem === undefined && files.has(below)) twice.add(below);
    if (problem !== undefined) setAside.push({ path: below, problem });
    else files.set(below, fileOf(zip, entry, below));
  }
  for (const path of twice) {
    files.delete(path);
    setAside.push({ path, problem: 'is in the archive several times' });
  }
  return {
    async *files() {
      yield* files.values();
    },
    find: async (path) => files.get(path),
    setAside,
    async close() {
      zip.close();
    },
  };
}

/** The root follows from the entries that can be imported; from all of them, if none can be. */
function rootOf(members: readonly Member[], archive: string): string {
  const good = members.filter(({ problem }) => problem === undefined);
  const rootsOf = (some: readonly Member[]) =>
    new Set(some.map(({ path }) => rootIn(path)).filter((root) => root !== undefined));
  const roots = rootsOf(good);
  return onlyRoot(roots.size > 0 ? roots : rootsOf(members), archive);
}

function fileOf(zip: ZipFile, entry: Entry, path: string): SourceFile {
  return { path, size: entry.uncompressedSize, isChecked: true, open: () => readEntry(zip, entry) };
}

/** The bytes of an entry, compared with its size and its CRC-32. */
async function* readEntry(zip: ZipFile, entry: Entry): AsyncGenerator<Buffer, void, undefined> {
  let size = 0;
  let sum = 0;
  try {
    for await (const chunk of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
      size += chunk.length;
      sum = crc32(chunk, sum);
      if (size > entry.uncompressedSize) break;
      yield chunk;
    }
  } catch (cause) {
    throw new BrokenFile(`is damaged: ${(cause as Error).message}`, { cause });
  }
  if (size !== entry.uncompressedSize)
    throw new BrokenFile('is damaged: it has another size than the archive says');
  if (sum !== entry.crc32) throw new BrokenFile('is damaged: it has another checksum than the archive says');
}

async function readMembers(zip: ZipFile, options: ZipOptions): Promise<Member[]> {
  const members: Member[] = [];
  for await (const entry of zip.eachEntry()) {
    const { generalPurposeBitFlag, fileNameRaw, extraFields } = entry;
    const path = getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false);
    if (!path.endsWith('/')) members.push({ entry, path, problem: entryProblem(entry, path, options) });
  }
  return members;
}

/** Why an entry is not read, or undefined. */
function entryProblem(entry: Entry, path: string, { maxRatio }: ZipOptions): string | undefined {
  const { uncompressedSize, compressedSize } = entry;
  const climbs = validateFileName(path) !== null || path.includes('\0') || path === '';
  if (climbs) return 'its path leads out of the folder';
  if (Buffer.byteLength(path) > maxPathBytes) return `its path has more than ${maxPathBytes} bytes`;
  const isUnix = entry.versionMadeBy >>> 8 === unixMadeBy;
  const type = isUnix ? (entry.externalFileAttributes >>> 16) & fileTypeMask : 0;
  if (type !== 0 && type !== regularFile && type !== directory) return 'is a link or a device, not a file';
  if (entry.isEncrypted()) return 'is encrypted';
  if (!entry.canDecodeFileData()) return 'is compressed in a way that is not supported';
  const ratio = uncompressedSize / Math.max(1, compressedSize);
  if (uncompressedSize > smallBytes && ratio > maxRatio) {
    return `is ${Math.round(ratio)} times larger than its compressed form: if that is right, raise --max-ratio, maxRatio`;
  }
  return undefined;
}

/** Entries that share bytes make a small archive enormous without a suspicious ratio of any of them. */
function refuseSharedBytes(path: string, zip: ZipFile, members: readonly Member[]): void {
  const places = members
    .map(({ entry }) => entry)
    .sort((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader);
  let free = 0;
  for (const { relativeOffsetOfLocalHeader: start, compressedSize, fileNameLength } of places) {
    const end = start + localHeaderBytes + fileNameLength + compressedSize;
    if (start < free || end > zip.fileSize) throw notAnArchive(path, new Error('its entries share bytes'));
    free = end;
  }
}

function notAnArchive(path: string, cause: Error): BasedriveError {
  return new BasedriveError('bad_archive', `${path} is not a whole zip archive: ${cause.message}`, { cause });
}
