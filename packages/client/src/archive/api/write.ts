import type { FileMetadata } from '../../drive/metadata.js';
import { type GivenPart, type PieceRoom, putFile } from '../../drive/upload.js';
import { BasedriveError } from '../../http/error.js';
import { chunked } from '../../http/source.js';
import type { FileDetails } from '../../http-types.js';
import { checksumText } from '../layout/manifest.js';
import type { Semaphore } from '../semaphore.js';
import { endpointOf, type ProjectAddress } from './address.js';
import { findFile, isFolder, type RemoteFile } from './project.js';

/** The largest part (docs/http.md#upload-chunked-part). */
const partBytes = 10 * 1024 * 1024;
/** The largest file: 10,000 parts. */
export const maxFileBytes = 10_000 * partBytes;

/** What a file has from where it was written first. */
export type BroughtAlong = Pick<FileDetails, 'headers' | 'md5' | 'checksum'>;

/** A file to store. */
export interface NewFile {
  readonly name: string;
  /** Undefined: the service derives it from the name. */
  readonly contentType: string | undefined;
  /** What it brings along besides its metadata. */
  readonly brought?: BroughtAlong;
  /** The parts that it is to have; undefined: those that its size needs. */
  readonly givenParts?: readonly GivenPart[] | undefined;
  /** Whole seconds since 1970 UTC; undefined: never. */
  readonly expires: number | undefined;
  readonly metadata?: FileMetadata | undefined;
  /** Whether a file of this name stays as it is. */
  readonly onlyNew: boolean;
  /** What was stored under the name before. */
  readonly before: RemoteFile | undefined;
}

/** The bytes of a file. */
export interface Content {
  readonly size: number;
  readonly chunks: AsyncGenerator<Buffer, void, undefined>;
  /** A part is read only once this admits it, and keeps its place until it is stored: this limits the memory of all files. */
  readonly inFlight: Semaphore;
}

/**
 * Stores a file of any size. When `chunks` throws, nothing has changed. Gives false if a file of this name stays. Throws
 * code `failed` if the service does not have the file at the end.
 */
export async function storeFile(
  address: ProjectAddress,
  drive: string,
  { name, contentType, brought = {}, givenParts, expires, metadata, onlyNew, before }: NewFile,
  { size, chunks, inFlight }: Content,
): Promise<boolean> {
  const room: PieceRoom = { admit: inFlight, partBytes };
  const source = { ...chunked(chunks), size };
  let bytes = 0;
  const onProgress = ({ sent }: { readonly sent: number }) => {
    bytes = sent;
  };
  const ifNoneMatch = onlyNew ? '*' : undefined;
  const about = { contentType, expireAt: expires, metadata };
  const options = {
    ...about,
    brought: headersOf(brought),
    givenParts,
    ifNoneMatch,
    onProgress,
    room,
    signal: address.signal,
  };
  try {
    const endpoint = endpointOf(address, drive);
    const query = `name=${encodeURIComponent(name)}${isFolder(name) ? '&folder=true' : ''}`;
    if (await putFile(endpoint, query, source, options)) return true;
  } catch (cause) {
    if (cause instanceof BasedriveError && cause.code === 'condition_failed') return false;
    throw cause;
  }
  const stored = await findFile(address, drive, name);
  if (stored === undefined || stored.size !== bytes || stored.etag === before?.etag)
    throw new BasedriveError('failed', `The server lost the upload of ${name}`);
  return true;
}

function headersOf({ headers = {}, md5, checksum }: BroughtAlong): Readonly<Record<string, string>> {
  return {
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [`X-File-${name}`, value])),
    ...(md5 !== undefined && { 'X-File-MD5': md5 }),
    ...(checksum !== undefined && { 'X-File-Checksum': checksumText(checksum) }),
  };
}
