import { hasControlCharacter } from '../../lib/text/control-characters.js';
import { badField } from '../../request-error.js';
import {
  type Checksum,
  type ChecksumAlgorithm,
  checksumAlgorithms,
  type FileHeaders,
  type FileRow,
  fileHeaderNames,
  type PartRow,
} from '../rows.js';

/** What the headers `X-File-…` say of a file that another store had before. */
export interface GivenHeaders {
  readonly headers?: FileHeaders | undefined;
  readonly sums?: Sums | undefined;
}

/** The checksums that the other store gave. They are not compared with the bytes. */
type Sums = Pick<FileRow, 'md5' | 'checksum'>;

const headerPrefix = 'x-file-';
const maxValueCharacters = 2048;
const givenNames = new Map(fileHeaderNames.map((name) => [name.toLowerCase(), name]));

const checksumBytes: Readonly<Record<ChecksumAlgorithm, number>> = {
  CRC32: 4,
  CRC32C: 4,
  CRC64NVME: 8,
  SHA1: 20,
  SHA256: 32,
};

/**
 * Reads the headers `X-File-…` of a request (docs/http.md#file-headers): the headers and the sums that a file has where it
 * comes from. Throws a 400 `RequestError`.
 */
export function readFileHeaders(headers: Readonly<Record<string, unknown>>): GivenHeaders | undefined {
  let found: { headers?: FileHeaders; sums?: Sums } | undefined;
  for (const header in headers) {
    if (!header.startsWith(headerPrefix)) continue;
    const value = String(headers[header]);
    const name = header.slice(headerPrefix.length);
    const given = givenNames.get(name);
    found ??= {};
    if (name === 'md5') found.sums = { ...found.sums, md5: checkedMd5(value) };
    else if (name === 'checksum') found.sums = { ...found.sums, checksum: checkedChecksum(value) };
    else if (given === undefined) throw badField(header, 'unknown_member', 'is no header of files');
    else found.headers = { ...found.headers, [given]: checkedHeader(value, `X-File-${given}`) };
  }
  return found;
}

/**
 * Reads the headers `X-File-…` of a part (docs/http.md#file-headers): the checksum of the part that its bytes were of, and
 * whether the next part of the upload has more of it. Throws a 400 `RequestError`.
 */
export function readPartHeaders(
  headers: Readonly<Record<string, unknown>>,
): Pick<PartRow, 'checksum' | 'continues'> | undefined {
  let found: { checksum?: Checksum; continues?: true } | undefined;
  for (const header in headers) {
    if (!header.startsWith(headerPrefix)) continue;
    const value = String(headers[header]);
    const name = header.slice(headerPrefix.length);
    if (name === 'checksum') found = { ...found, checksum: checkedChecksum(value) };
    else if (name !== 'continues') throw badField(header, 'unknown_member', 'is no header of parts');
    else if (value !== 'true') throw badField('X-File-Continues', 'invalid_value', 'must be true, or absent');
    else found = { ...found, continues: true };
  }
  return found;
}

function checkedHeader(value: string, path: string): string {
  if (value === '') throw badField(path, 'empty', 'must not be empty');
  if (hasControlCharacter(value)) throw badField(path, 'invalid_text', 'must not hold control characters');
  if (value.length > maxValueCharacters)
    throw badField(path, 'too_long', `must have at most ${maxValueCharacters} characters`);
  return value;
}

function checkedMd5(value: string): string {
  if (/^[0-9a-f]{32}(?:-[1-9]\d{0,4})?$/.test(value)) return value;
  const rule = 'must be 32 hexadecimal digits, or these, "-" and a number of parts';
  throw badField('X-File-MD5', 'invalid_value', rule);
}

/** `SHA256 {base64}`, or `SHA256 {base64}-{parts}` for that of the checksums of parts. */
function checkedChecksum(text: string): Checksum {
  const [, name, sum = '', parts] = /^([A-Z\d]+) ([A-Za-z\d+/]+=*)(-[1-9]\d{0,4})?$/.exec(text) ?? [];
  const algorithm = checksumAlgorithms.find((known) => known === name);
  const bytes = Buffer.from(sum, 'base64');
  const isWhole = algorithm !== undefined && bytes.length === checksumBytes[algorithm];
  if (!isWhole || bytes.toString('base64') !== sum) {
    const rule = `must be one of ${checksumAlgorithms.join(', ')}, a space, and the checksum as base64`;
    throw badField('X-File-Checksum', 'invalid_value', rule);
  }
  return parts === undefined
    ? { algorithm, value: sum }
    : { algorithm, value: sum + parts, isComposite: true };
}
