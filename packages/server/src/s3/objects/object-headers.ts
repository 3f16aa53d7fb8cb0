import { metadataOf } from '../../drive/files/metadata.js';
import {
  type Checksum,
  type FileHeaders,
  type FileRow,
  fileHeaderNames,
  type Metadata,
} from '../../drive/rows.js';
import { isHeaderValue } from '../../http/header-value.js';
import { unambiguousType } from '../../http/requests/content-type.js';
import { RequestError } from '../../request-error.js';
import { S3Error } from '../errors.js';
import type { S3Request } from '../request.js';
import type { XmlElements } from '../xml/write-xml.js';
import { entityTagOf } from './entity-tag.js';

// What requests say of an object besides its bytes, and what answers give back of it.

const metadataPrefix = 'x-amz-meta-';
/** As much as the file API allows, and a quarter of what AWS does: a list of 1,000 names reads all of them. */
const maxHeaderCharacters = 2048;
/** The type of an object that came without one, as AWS has it. */
const unknownType = 'binary/octet-stream';

/**
 * What is kept with the bytes of an object. `fields`: the names of the request's fields in lower case, those that begin with
 * `x-amz-` at least. Throws an `S3Error`.
 */
export function aboutObject(request: S3Request, fields: readonly string[]) {
  const headers: Partial<Record<keyof FileHeaders, string>> = {};
  for (const name of fileHeaderNames) {
    const value = request.field(name.toLowerCase());
    const kept = name === 'Content-Encoding' ? withoutChunks(value) : value;
    if (kept !== undefined && kept !== '') headers[name] = checked(name, kept);
  }
  return {
    contentType: checked('Content-Type', request.field('content-type')?.trim() || unknownType),
    metadata: readMetadata(request, fields),
    headers: Object.keys(headers).length === 0 ? undefined : headers,
  };
}

/** A field of a form may have characters that no header has, and answers give it back as one. */
function checked(name: string, value: string): string {
  if (!isHeaderValue(value)) throw new S3Error('InvalidArgument', `${name} must not have control characters`);
  if (value.length <= maxHeaderCharacters) return value;
  throw new S3Error('InvalidArgument', `${name} must have at most ${maxHeaderCharacters} characters`);
}

/** `aws-chunked` says how the body was sent, not what it is. */
function withoutChunks(value: string | undefined): string | undefined {
  const encodings = value?.split(',').map((encoding) => encoding.trim());
  return encodings?.filter((encoding) => encoding.toLowerCase() !== 'aws-chunked').join(',');
}

function readMetadata(request: S3Request, fields: readonly string[]): Metadata | undefined {
  const names = fields.filter((name) => name.startsWith(metadataPrefix));
  if (names.length === 0) return undefined;
  const given = names.map((name) => [name, request.field(name)?.trim()]);
  try {
    return metadataOf(Object.fromEntries(given), metadataPrefix);
  } catch (cause) {
    if (!(cause instanceof RequestError)) throw cause;
    const isTooLarge = ['too_long', 'too_many'].includes(cause.problems[0]?.code ?? '');
    throw isTooLarge ? new S3Error('MetadataTooLarge') : new S3Error('InvalidArgument', cause.message);
  }
}

/** The headers that say what a file is, of every answer that gives it. */
export function objectHeaders(file: FileRow): string[] {
  const headers = [
    'ETag',
    entityTagOf(file),
    'Last-Modified',
    new Date(file.modifiedMs).toUTCString(),
    'Accept-Ranges',
    'bytes',
  ];
  for (const [name, value] of Object.entries(file.metadata ?? {})) {
    headers.push(metadataPrefix + name, Buffer.from(value).toString('latin1'));
  }
  return headers;
}

const overrides = ['Content-Type', ...fileHeaderNames] as const;

/**
 * The headers that were given with the file, or that a request asks for in their place: `response-content-type`. A browser
 * may open a presigned URL, which gets a type that it cannot misunderstand.
 */
export function givenHeaders(
  { param, query, isPresigned }: S3Request,
  { contentType, headers }: FileRow,
): string[] {
  if (query.length === 0 && headers === undefined) return ['Content-Type', contentType];
  return overrides.flatMap((name) => {
    const asked = param(`response-${name.toLowerCase()}`);
    if (asked !== undefined && /[^\t\x20-\x7e\x80-\xff]/.test(asked)) {
      throw new S3Error(
        'InvalidArgument',
        `response-${name.toLowerCase()} has characters that no header may have`,
      );
    }
    const given = asked ?? (name === 'Content-Type' ? contentType : headers?.[name]);
    const isOpened = isPresigned && name === 'Content-Type' && given !== undefined;
    const value = isOpened ? unambiguousType(given) : given;
    return value === undefined ? [] : [name, value];
  });
}

/** How S3 calls what a checksum is computed of: all bytes, or the checksums of the parts. */
export function checksumType({ isComposite }: Pick<Checksum, 'isComposite'>): string {
  return isComposite ? 'COMPOSITE' : 'FULL_OBJECT';
}

/** The checksum of a part in XML. */
export function partChecksum(checksum: Checksum | undefined): XmlElements {
  return checksum === undefined ? {} : { [`Checksum${checksum.algorithm}`]: checksum.value };
}

/** The checksum of an object in XML. */
export function objectChecksum(checksum: Checksum | undefined): XmlElements {
  return checksum === undefined ? {} : { ...partChecksum(checksum), ChecksumType: checksumType(checksum) };
}

/** The headers of a checksum. `given`: what is given of it, if not the whole object: a part, or nothing. */
export function checksumHeaders(
  checksum: Checksum | undefined,
  given: Checksum | null | undefined = checksum,
): string[] {
  if (checksum === undefined || !given) return [];
  const name = `x-amz-checksum-${given.algorithm.toLowerCase()}`;
  return [name, given.value, 'x-amz-checksum-type', checksumType(checksum)];
}
