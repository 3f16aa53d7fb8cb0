import { createHash } from 'node:crypto';
import type { FileMetadata } from '../../drive/metadata.js';
import type { FileDetails, FileParts, IndexInfo } from '../../http-types.js';
import type { Gap } from '../api/around-damage.js';

/**
 * `basedrive.json` (docs/moving-in.md#basedrivejson): what a folder cannot say. It is JSON with one entry on a line, so
 * that it can be written and read without being in memory as a whole.
 */
export const manifestPath = 'basedrive.json';
export const manifestVersion = 1;

/** A base in an export. */
export interface BaseEntry {
  readonly base: string;
  readonly path: string;
  readonly items: number;
  /** Of the file, in bytes. */
  readonly size: number;
  readonly sha256: string;
  /** Those that are declared; absent: none. */
  readonly indexes?: readonly IndexEntry[] | undefined;
  /** The keys between which items were damaged, and are not in the file; absent: there were none. */
  readonly gaps?: readonly Gap[] | undefined;
}

/** An index of a base in an export. */
export type IndexEntry = Pick<IndexInfo, 'name' | 'fields' | 'unique' | 'each'>;

/** A file of a drive in an export. */
export interface FileEntry {
  readonly drive: string;
  readonly name: string;
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
  readonly content_type: string;
  /** Whole seconds since 1970 UTC; absent: never. */
  readonly expires?: number | undefined;
  /** What a program has noted of the file; absent: nothing. */
  readonly metadata?: FileMetadata | undefined;
  /** The headers that were given with the bytes; absent: none. */
  readonly headers?: FileDetails['headers'];
  /** What S3 clients know of the bytes; absent: nothing. */
  readonly md5?: string | undefined;
  readonly checksum?: FileDetails['checksum'];
  /** Those in which an S3 client sent the bytes; absent: it sent them whole. */
  readonly parts?: readonly PartEntry[] | undefined;
  /**
   * Its bytes were damaged and are not in the export, or in an archive only the first of them. `sha256` is empty: an
   * earlier version sets the file aside because of that.
   */
  readonly damaged?: true | undefined;
}

/** A part of a file: its bytes, and its checksum if it has one. */
export type PartEntry = FileParts['parts'][number];

export type Entry = BaseEntry | FileEntry;

/** A drive that exists also while it is empty. */
export interface KeptDrive {
  readonly drive: string;
  /** Where it is, as the region of a bucket; absent: nowhere in particular. */
  readonly location?: string | undefined;
}

/** What an export has besides its entries. */
export interface ManifestLists {
  readonly kept: readonly KeptDrive[];
  /** The names between which rows of a drive were damaged, so that its files are not known. */
  readonly gaps: readonly DriveGap[];
}

export type DriveGap = Gap & Pick<KeptDrive, 'drive'>;

/** What a header takes, which is how a content type is sent. */
const printable = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Longer texts do not fit the head of a request. What else is too long, the service says. */
const maxTextBytes = 4096;

/**
 * The text of a manifest with these lines, each an entry as JSON. Where drives are stands apart from `kept`, which an
 * earlier version reads as a list of names. The last member is the SHA-256 of all bytes before it.
 */
export async function* manifestText(
  lines: AsyncIterable<string>,
  { kept, gaps }: ManifestLists,
): AsyncGenerator<Buffer, void, undefined> {
  let text = `{"format":"basedrive","version":${manifestVersion},"entries":[`;
  let separator = '\n';
  const hash = createHash('sha256');
  const hashed = (bytes: Buffer) => {
    hash.update(bytes);
    return bytes;
  };
  for await (const line of lines) {
    text += separator + line;
    separator = ',\n';
    if (text.length < 64 * 1024) continue;
    yield hashed(Buffer.from(text));
    text = '';
  }
  const names = kept.map(({ drive }) => drive);
  const located = kept.filter(({ location }) => location !== undefined);
  const lists = listText('kept', names) + listText('located', located) + listText('gaps', gaps);
  yield hashed(Buffer.from(`${text}\n]${lists}`));
  yield Buffer.from(`,"sha256":"${hash.digest('hex')}"}\n`);
}

/** The end of a manifest, which has its checksum. In those of earlier versions there is none. */
const checksumAtEnd = /,\s*"sha256"\s*:\s*"([^"]*)"\s*\}\s*$/;
/** That end is shorter. */
const maxEndBytes = 256;

/** Whether a manifest has its end, and the checksum that it says, if it says one. Memory: one chunk. */
export async function isIntactManifest(chunks: AsyncIterable<Buffer>): Promise<boolean> {
  const hash = createHash('sha256');
  let end = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([end, chunk]);
    const ending = Math.max(0, bytes.length - maxEndBytes);
    hash.update(bytes.subarray(0, ending));
    end = bytes.subarray(ending);
  }
  const text = end.toString('latin1');
  const found = checksumAtEnd.exec(text);
  if (found === null) return text.trimEnd().endsWith('}');
  return hash.update(end.subarray(0, found.index)).digest('hex') === found[1];
}

function listText(member: string, elements: readonly unknown[]): string {
  if (elements.length === 0) return '';
  return `,"${member}":[\n${elements.map((element) => JSON.stringify(element)).join(',\n')}\n]`;
}

/** The member of an entry that no request can carry, and the rule that it breaks; undefined for a good entry. */
export function entryProblem(entry: Entry): string | undefined {
  const names = 'base' in entry ? { base: entry.base } : { drive: entry.drive, name: entry.name };
  for (const [member, name] of Object.entries(names)) {
    if (name === '') return `${member}: must not be empty`;
    if (!name.isWellFormed()) return `${member}: has a lone surrogate`;
    if (Buffer.byteLength(name) > maxTextBytes) return `${member}: must have at most ${maxTextBytes} bytes`;
  }
  if ('base' in entry) return undefined;
  if (entry.content_type.length > maxTextBytes)
    return `content_type: must have at most ${maxTextBytes} bytes`;
  if (!printable.test(entry.content_type))
    return 'content_type: must be a text of Latin-1 without control characters';
  for (const [name, value] of broughtTexts(entry)) {
    if (value === '' || value.length > maxTextBytes) return `${name}: must have 1 to ${maxTextBytes} bytes`;
    if (!printable.test(value)) return `${name}: must be a text of Latin-1 without control characters`;
  }
  return metadataProblem(entry.metadata);
}

/** Reads an entry. Gives undefined for any other value. */
export function readEntry(text: string): Entry | undefined {
  let value: Partial<Record<keyof BaseEntry | keyof FileEntry, unknown>> | null;
  try {
    value = JSON.parse(text) as typeof value;
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { path, size, sha256, base, drive, name, content_type: type, expires, metadata } = value;
  const { headers, md5, checksum, parts, indexes, gaps } = value;
  const isFile = typeof path === 'string' && Number.isSafeInteger(size) && typeof sha256 === 'string';
  if (!isFile) return undefined;
  if (base !== undefined) {
    const areLists = areAll(indexes, isIndex) && areAll(gaps, isGap);
    return typeof base === 'string' && drive === undefined && areLists ? (value as BaseEntry) : undefined;
  }
  const isDriveFile = typeof drive === 'string' && typeof name === 'string' && typeof type === 'string';
  const expiresRight = expires === undefined || Number.isSafeInteger(expires);
  const areTexts = isMetadata(metadata) && isMetadata(headers) && isMetadata(checksum);
  const areRight = areTexts && (md5 === undefined || typeof md5 === 'string') && areAll(parts, isPart);
  return isDriveFile && expiresRight && areRight ? (value as FileEntry) : undefined;
}

/** What the request of a file carries in headers `X-File-…`, by what names it in an error. */
function broughtTexts({
  headers = {},
  md5,
  checksum,
  parts = [],
}: FileEntry): [name: string, value: string][] {
  const given = Object.entries(headers).map(([name, value]): [string, string] => [`headers.${name}`, value]);
  if (md5 !== undefined) given.push(['md5', md5]);
  if (checksum !== undefined) given.push(['checksum', checksumText(checksum)]);
  for (const part of parts) {
    if (part.checksum !== undefined) given.push(['parts', checksumText(part.checksum)]);
  }
  return given;
}

/** As `X-File-Checksum` has it (docs/http.md#file-headers). */
export function checksumText({ algorithm, value }: NonNullable<PartEntry['checksum']>): string {
  return `${algorithm} ${value}`;
}

/** Names and values that headers take (docs/http.md#file-metadata). What else is wrong with them, the service says. */
function metadataProblem(metadata: FileMetadata = {}): string | undefined {
  let bytes = 0;
  for (const [name, value] of Object.entries(metadata)) {
    if (!/^[a-z\d][a-z\d._-]*$/.test(name)) return 'metadata: has a name that no header has';
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    if (/[\u0000-\u001f\u007f-\u009f]/.test(value)) return `metadata.${name}: has a control character`;
    if (!value.isWellFormed()) return `metadata.${name}: has a lone surrogate`;
    bytes += name.length + Buffer.byteLength(value);
  }
  return bytes > maxTextBytes ? `metadata: must have at most ${maxTextBytes} bytes` : undefined;
}

/** Whether a list is absent, or everything in it is right. */
function areAll(value: unknown, isRight: (one: Members) => boolean): boolean {
  return value === undefined || (Array.isArray(value) && value.every(isRight));
}

type Members = Partial<Record<string, unknown>> | null | undefined;

const isIndex = (one: Members) => typeof one?.name === 'string' && Array.isArray(one.fields);

const isPart = (one: Members) =>
  Number.isSafeInteger(one?.size) && (one?.size as number) >= 0 && isMetadata(one?.checksum);

/** Whether a value says where a gap is. */
export function isGap(value: unknown): value is Gap {
  const { after, before } = (value ?? {}) as Partial<Record<keyof Gap, unknown>>;
  return [after, before].every((bound) => bound === undefined || typeof bound === 'string');
}

/** Where a gap is, to follow a noun: ` after "a" and before "c"`. Empty if it has no bounds. */
export function gapText({ after, before }: Gap): string {
  const bounds = [
    ...(after === undefined ? [] : [`after ${JSON.stringify(after)}`]),
    ...(before === undefined ? [] : [`before ${JSON.stringify(before)}`]),
  ];
  return bounds.length === 0 ? '' : ` ${bounds.join(' and ')}`;
}

function isMetadata(value: unknown): boolean {
  if (value === undefined) return true;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((text) => typeof text === 'string');
}
