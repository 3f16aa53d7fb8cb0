import type { IncomingHttpHeaders } from 'node:http';
import { charset, lookup } from 'mime-types';

const unknownType = 'application/octet-stream';

/** The Content-Type of the request; undefined if it is absent or blank. */
export function declaredType(headers: IncomingHttpHeaders): string | undefined {
  return headers['content-type']?.trim() || undefined;
}

const ndjson = /^\s*application\/x-ndjson\s*(;|$)/i;

/** Whether the body has a line for each of its values (docs/http.md#import-items). */
export function isNdjson(headers: IncomingHttpHeaders): boolean {
  return ndjson.test(headers['content-type'] ?? '');
}

/** The type for the extension of a file name, else application/octet-stream (docs/http.md#put-file). */
export function typeByName(fileName: string): string {
  const base = fileName.slice(fileName.lastIndexOf('/') + 1);
  const dot = base.lastIndexOf('.');
  // A name such as `txt` or `.txt` has no extension.
  return (dot > 0 && lookup(base.slice(dot))) || unknownType;
}

const token = String.raw`[\w!#$%&'*+\-.^\`|~]+`;
const quoted = String.raw`"(?:[\t\x20!\x23-\x5b\x5d-\x7e]|\\[\t\x20-\x7e])*"`;
/** The media type of RFC 9110, 8.3.1, in ASCII. */
const mediaType = new RegExp(`^(${token})/(${token})(?:[ \\t]*;[ \\t]*${token}=(?:${token}|${quoted}))*$`);

/** The type and subtype of a media type in lower case, without its parameters; undefined if it is malformed. */
export function essenceOf(contentType: string): string | undefined {
  const [, type, subtype] = mediaType.exec(contentType) ?? [];
  return type === undefined || subtype === undefined ? undefined : `${type}/${subtype}`.toLowerCase();
}

const ofSeveral = /^(?:multipart|message)\//;

/** The type as it is, unless readers could understand it in different ways, or it stands for several documents. */
export function unambiguousType(contentType: string): string {
  const essence = essenceOf(contentType);
  return essence === undefined || ofSeveral.test(essence) ? unknownType : contentType;
}

/**
 * The type with which a file is given to a browser that has no key (docs/http.md#public-files). A text without a charset
 * is UTF-8. A type that readers could understand in different ways, or that stands for several documents, is
 * application/octet-stream.
 */
export function typeForBrowsers(contentType: string): string {
  const essence = essenceOf(contentType);
  if (essence === undefined || ofSeveral.test(essence)) return unknownType;
  const isUtf8 = essence.startsWith('text/') || charset(essence) !== false;
  return isUtf8 && !/;[ \t]*charset=/i.test(contentType) ? `${contentType}; charset=utf-8` : contentType;
}
