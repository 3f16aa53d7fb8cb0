import type { JsonValue } from '../../json/value.js';
import { hasControlCharacter } from '../../lib/text/control-characters.js';
import { badField } from '../../request-error.js';
import { maxMetadataBytes, maxMetadataNames } from '../limits.js';
import type { Metadata } from '../rows.js';

/** What a program notes of a file (docs/http.md#file-metadata), in headers and in bodies. */

/** Changes of metadata: null takes a name away. Null for all of them: every name. */
export type MetadataChanges = Readonly<Record<string, string | null>> | null;

const ownPrefix = 'x-meta-';
const goodName = /^[a-z\d][a-z\d._-]*$/;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads the headers `X-Meta-{name}` of a request: their bytes are UTF-8. Undefined without one. Throws a 400
 * `RequestError`. `headerPrefix`: what the names of these headers begin with, in lower case.
 */
export function metadataOf(
  headers: Readonly<Record<string, unknown>>,
  headerPrefix = ownPrefix,
): Metadata | undefined {
  let found: [string, string][] | undefined;
  for (const header in headers) {
    if (!header.startsWith(headerPrefix)) continue;
    const value = headers[header];
    const name = header.slice(headerPrefix.length);
    const path = `X-Meta-${name}`;
    requireName(name, path);
    found ??= [];
    found.push([name, checkedValue(textOfBytes(String(value), path), path)]);
  }
  return found && checkedMetadata(Object.fromEntries(found));
}

/** Node gives each byte of a header as one character. */
function textOfBytes(value: string, path: string): string {
  try {
    return utf8.decode(Buffer.from(value, 'latin1'));
  } catch {
    throw badField(path, 'invalid_text', 'must be UTF-8');
  }
}

/** The headers that give it back, and let pages of other origins read them. */
export function metadataHeaders(metadata: Metadata): readonly string[] {
  const headers = Object.entries(metadata).flatMap(([name, value]) => [
    `X-Meta-${name}`,
    Buffer.from(value).toString('latin1'),
  ]);
  const names = Object.keys(metadata).map((name) => `X-Meta-${name}`);
  return [...headers, 'Access-Control-Expose-Headers', names.join(', ')];
}

/** Reads the member `metadata` of Change File. Throws a 400 `RequestError`. */
export function readMetadataChanges(value: JsonValue | undefined): MetadataChanges | undefined {
  if (value === undefined || value === null) return value;
  if (!(value instanceof Map)) throw badField('metadata', 'wrong_type', 'must be an object or null');
  const changes = Array.from(value, ([name, text]): [string, string | null] => {
    const path = `metadata.${name.slice(0, shownCharacters)}`;
    requireName(name, path);
    if (text === null) return [name, null];
    if (typeof text !== 'string') throw badField(path, 'wrong_type', 'must be a string or null');
    return [name, checkedValue(text, path)];
  });
  return Object.fromEntries(changes);
}

/** What a file has after the changes; undefined for nothing. Throws the 400 `RequestError` of metadata that is too large. */
export function changedMetadata(
  before: Metadata | undefined,
  changes: MetadataChanges | undefined,
): Metadata | undefined {
  if (changes === undefined) return before;
  const after = { ...before, ...changes };
  const entries = Object.entries(after).filter((entry): entry is [string, string] => entry[1] !== null);
  return changes === null || entries.length === 0 ? undefined : checkedMetadata(Object.fromEntries(entries));
}

export function isSameMetadata(a: Metadata = {}, b: Metadata = {}): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

const shownCharacters = 100;

function requireName(name: string, path: string): void {
  if (goodName.test(name)) return;
  const rule = 'its name must be a-z, 0-9, ".", "_" and "-", and begin with a letter or a digit';
  throw badField(path, 'invalid_value', rule);
}

/** A value that a header carries as it is. */
function checkedValue(value: string, path: string): string {
  if (hasControlCharacter(value)) throw badField(path, 'invalid_text', 'must not hold control characters');
  if (/^ | $/.test(value)) throw badField(path, 'invalid_value', 'must not begin or end with a space');
  return value;
}

function checkedMetadata(metadata: Metadata): Metadata {
  const entries = Object.entries(metadata);
  if (entries.length > maxMetadataNames)
    throw badField('metadata', 'too_many', `must have at most ${maxMetadataNames} names`);
  const bytes = entries.reduce((sum, [name, value]) => sum + name.length + Buffer.byteLength(value), 0);
  if (bytes > maxMetadataBytes) {
    const rule = `names and values must have at most ${maxMetadataBytes} bytes of UTF-8 together, have ${bytes}`;
    throw badField('metadata', 'too_long', rule);
  }
  return metadata;
}
