import { maxDueSeconds, type Put } from '../engines/item-store.js';

/**
 * The rows of a drive, all in one space, so that a name and what it names change together:
 *
 *   name/{file name}       a file: which content it has (`FileRow`); due when it expires
 *   content/{id}           the bytes of a small content, or the list of the pieces of one made of parts
 *   upload/{id}            an open upload (`UploadRow`), due when it had no request for a day
 *   part/{upload id}/{n}   a part of an open upload (`PartRow`); n in five digits
 *   linked/{link}          which upload an upload link has open (`LinkedRow`), due when the link ends
 *   listed/{time}{id}      a link that the drive lists (`sharing/listed-links.ts`), due when the link ends
 *   trash/{time}{id}       a file that was deleted or overwritten and can come back (`TrashRow`), due at its end
 *   restored/{id}          a content that came back from the trash lately (`RestoredRow`), due after some days
 *   folder/{name}          the marker of a folder, whose name ends in `/`: a file with its bytes in the row
 *   kept                   a drive that exists also while it has no file (`KeptRow`)
 *   garbage/{id}           a content or an upload that lost its name (`GarbageRow`), due after a while where servers share rows
 *   the header             the settings of the drive (`DriveSettingsRow`)
 *
 * A content never changes. Bytes that are not in a row are a blob under the same id.
 */

/** Where bytes are stored: in `content/{id}`, in the blob `{id}`, or in the pieces that `content/{id}` lists. */
export type Layout = 'row' | 'blob' | 'parts';

/** The bytes of one request. */
export interface Piece {
  readonly id: string;
  readonly layout: 'row' | 'blob';
  readonly sizeBytes: number;
  readonly crc32: number;
  /**
   * The CRC-32 of each 256 KiB of a blob: four bytes each, most significant byte first, together as base64. Absent if
   * one chunk holds all bytes, and in rows that earlier versions wrote.
   */
  readonly chunkCrc32s?: string | undefined;
}

/** What a program notes of a file, by names in lower case (docs/http.md#file-metadata). */
export type Metadata = Readonly<Record<string, string>>;

/** The names of the headers that a file may bring with it. */
export const fileHeaderNames = [
  'Cache-Control',
  'Content-Disposition',
  'Content-Encoding',
  'Content-Language',
  'Expires',
] as const;

/** The headers that were given with the bytes: downloads give them back (docs/http.md#file-headers). */
export type FileHeaders = Readonly<Partial<Record<(typeof fileHeaderNames)[number], string>>>;

export const checksumAlgorithms = ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const;
export type ChecksumAlgorithm = (typeof checksumAlgorithms)[number];

/** A checksum that a client sent with the bytes, and that was compared with them. */
export interface Checksum {
  readonly algorithm: ChecksumAlgorithm;
  /** As base64. */
  readonly value: string;
  /** Whether it is that of the checksums of the parts. */
  readonly isComposite?: true | undefined;
}

export interface FileRow {
  /** The id of the content. Every write of bytes makes a new one. With `revision` it is the ETag. */
  readonly id: string;
  readonly layout: Layout;
  readonly sizeBytes: number;
  /** Absent for the layout `parts`, because each piece has its own. */
  readonly crc32?: number | undefined;
  /** As in `Piece`. */
  readonly chunkCrc32s?: string | undefined;
  readonly contentType: string;
  readonly modifiedMs: number;
  /** The second from which on the file does not exist, since 1970 UTC. */
  readonly expiresAtSeconds?: number | undefined;
  readonly metadata?: Metadata | undefined;
  readonly headers?: FileHeaders | undefined;
  /**
   * The MD5 of the bytes in hexadecimal digits, or that of the MD5s of the parts, `-`, and their number. Absent if nobody
   * asked for it.
   */
  readonly md5?: string | undefined;
  readonly checksum?: Checksum | undefined;
  /** Of a file of a single part whose own checksum is composite: that of the part. */
  readonly partChecksum?: Checksum | undefined;
  /** The upload that made the file. Kept where a client may repeat End. */
  readonly uploadId?: string | undefined;
  /** Of the marker of a folder: its bytes as base64. */
  readonly bytes?: string | undefined;
  /** The number of changes of the content type and the metadata since the bytes were written. It is part of the ETag. */
  readonly revision?: number | undefined;
}

export interface UploadRow {
  readonly name: string;
  /** The Content-Type of Initialize. */
  readonly contentType?: string | undefined;
  readonly metadata?: Metadata | undefined;
  readonly headers?: FileHeaders | undefined;
  /** The checksum that its parts bring, and what the checksum of the file will be. */
  readonly checksum?: Pick<Checksum, 'algorithm' | 'isComposite'> | undefined;
  /** What is known of the bytes of the file already: a file brings it from another place. */
  readonly sums?: Pick<FileRow, 'md5' | 'checksum'> | undefined;
  /** When it was opened; earlier versions did not always note it. */
  readonly openedMs?: number | undefined;
  readonly expiresAtSeconds: number;
  /** The second from which on the file will not exist, since 1970 UTC. */
  readonly fileExpiresAtSeconds?: number | undefined;
  /** Or for how many seconds it will exist. */
  readonly fileExpiresInSeconds?: number | undefined;
  /** The link that opened it: only requests by that link may continue it. Undefined: a request with a key opened it. */
  readonly link?: string | undefined;
  /** How many bytes its parts may have together, and have. Only of links. */
  readonly maxBytes?: number | undefined;
  readonly partBytes?: number | undefined;
  /** Changes with every part, so that End notices parts that were stored while it read the others. */
  readonly revision: number;
}

export interface PartRow extends Piece {
  readonly contentType?: string | undefined;
  readonly md5?: string | undefined;
  readonly checksum?: Checksum | undefined;
  /** Whether the next one belongs to the same part in the store that the file comes from, where parts may be larger. */
  readonly continues?: true | undefined;
  readonly modifiedMs?: number | undefined;
}

/** A part in the list of those of a file. */
export type ListedPiece = Piece & Pick<PartRow, 'checksum' | 'continues'>;

/** Whether a text may say where a drive is. */
export function isLocation(text: string): boolean {
  return /^[a-zA-Z0-9-]{1,64}$/.test(text);
}

export interface KeptRow {
  readonly sinceMs: number;
  /** The region that whoever made the drive named. This service does not interpret it. */
  readonly location?: string | undefined;
}

export interface GarbageRow {
  readonly layout: 'blob' | 'parts' | 'upload';
  /** Only in a copy under way: the blob is whole, and waits for its name (`store/copy/waiting-blobs.ts`). */
  readonly waits?: true;
}

/** The open upload of a link, which has one at most. */
export interface LinkedRow {
  readonly uploadId: string;
  /** The second from which on the link is not valid, since 1970 UTC. */
  readonly endsAtSeconds: number;
}

/** A file as it was. Its content still belongs to it. */
export interface TrashRow extends FileRow {
  readonly name: string;
  /** When it was deleted or overwritten, in milliseconds since 1970 UTC. */
  readonly deletedMs: number;
  /** The second from which on it is no longer in the trash, since 1970 UTC. */
  readonly endsAtSeconds: number;
}

/** For those who read all rows while others are written: this content may be where they have looked already. */
export type RestoredRow = Pick<FileRow, 'layout'>;

export interface DriveSettingsRow {
  /** For how many seconds the trash keeps files, 0 for none; undefined: as the server is set. */
  readonly trashSeconds?: number | undefined;
}

const partDigits = 5;
/** Hexadecimal digits of the milliseconds since 1970: enough until the year 10889. */
const timeDigits = 12;

export const keptKey = 'kept';
export const nameKey = (name: string) => `name/${name}`;
export const folderKey = (name: string) => `folder/${name}`;
/** The key of the row of a file, or of the marker of a folder. */
export const fileKey = (name: string) => (isFolder(name) ? folderKey(name) : nameKey(name));
export const contentKey = (id: string) => `content/${id}`;
export const uploadKey = (id: string) => `upload/${id}`;
/** `link`: as `UploadRow` has it. */
export const linkedKey = (link: string) => `linked/${link}`;
/** The key of a link that the drive lists. */
export const listedKey = (id: string) => `listed/${id}`;
export const trashKey = (id: string) => `trash/${id}`;
/** An id whose order is that of the times: of a content in the trash, or of a random id. */
export const timedId = (ms: number, id: string) => ms.toString(16).padStart(timeDigits, '0') + id;
/** Whether `timedId` could have made it. */
export const isTimedId = (text: string) => /^[0-9a-f]{44}$/.test(text);
export const restoredKey = (id: string) => `restored/${id}`;
export const garbageKey = (id: string) => `garbage/${id}`;
export const partsPrefix = (uploadId: string) => `part/${uploadId}/`;
export const partKey = (uploadId: string, part: number) =>
  `${partsPrefix(uploadId)}${String(part).padStart(partDigits, '0')}`;

/** Whether a name is that of the marker of a folder. */
export function isFolder(name: string): boolean {
  return name.endsWith('/');
}

export function nameOfKey(key: string): string {
  return key.slice(nameKey('').length);
}

export function partOfKey(key: string): number {
  return Number(key.slice(-partDigits));
}

/** Gives the id of the upload whose part the row is, or undefined for any other row. */
export function uploadOfPartKey(key: string): string | undefined {
  const [kind, uploadId] = key.split('/');
  return kind === 'part' ? uploadId : undefined;
}

/** Reads a row as one of the types of this file, from which it was written. Throws `SyntaxError`. */
export function readRow<T>(row: Buffer): T {
  return JSON.parse(row.toString()) as T;
}

/** Reads the file in the row of a name. Gives undefined without a row. */
export function readFile(row: Buffer | undefined): FileRow | undefined {
  return row && readRow<FileRow>(row);
}

/** When a new file expires: at a second since 1970 UTC, or a number of seconds after it is stored. Without both: never. */
export interface FileExpiry {
  readonly expiresAtSeconds?: number | undefined;
  readonly expiresInSeconds?: number | undefined;
}

/** The second from which on a file that is stored now does not exist. */
export function expiryOf(
  { expiresAtSeconds, expiresInSeconds }: FileExpiry,
  nowSeconds: number,
): number | undefined {
  return expiresInSeconds === undefined ? expiresAtSeconds : nowSeconds + expiresInSeconds;
}

export function isFileExpired({ expiresAtSeconds }: FileRow, nowSeconds: number): boolean {
  return expiresAtSeconds !== undefined && expiresAtSeconds <= nowSeconds;
}

/** Reads the file in the row of a name. Gives undefined without a row, or if the file has expired. */
export function liveFile(row: Buffer | undefined, nowSeconds: number): FileRow | undefined {
  const file = readFile(row);
  return file === undefined || isFileExpired(file, nowSeconds) ? undefined : file;
}

const expiryMarker = '"expiresAtSeconds":';

/** Whether the row of a name is that of an expired file. For most rows, one native search is enough. */
export function isFileRowExpired(row: string, nowSeconds: number): boolean {
  return row.includes(expiryMarker) && isFileExpired(JSON.parse(row) as FileRow, nowSeconds);
}

export function jsonRow<T>(key: string, value: T): Put {
  return { key, value: Buffer.from(JSON.stringify(value)) };
}

/** Makes the row of a file. `value`: its bytes, if they are known. */
export function fileRow(name: string, file: FileRow, value: Buffer = Buffer.from(JSON.stringify(file))): Put {
  const row = { key: fileKey(name), value };
  const { expiresAtSeconds: dueSeconds } = file;
  return dueSeconds === undefined || dueSeconds > maxDueSeconds ? row : { ...row, dueSeconds };
}

/** Makes the row of a file in the trash. `key`: as `trashKey` gives it. */
export function trashRow(key: string, row: TrashRow): Put {
  return { ...jsonRow(key, row), dueSeconds: Math.min(row.endsAtSeconds, maxDueSeconds) };
}

export function uploadRow(id: string, upload: UploadRow): Put {
  return { ...jsonRow<UploadRow>(uploadKey(id), upload), dueSeconds: upload.expiresAtSeconds };
}

/** Gives the ETag of a file, with its quotes (docs/http.md#conditions). */
export function etagOf({ id, revision }: Pick<FileRow, 'id' | 'revision'>): string {
  return revision === undefined ? `"${id}"` : `"${id}-${revision}"`;
}
