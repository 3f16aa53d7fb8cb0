import type { IncomingHttpHeaders } from 'node:http';
import { lookup } from 'mime-types';

const unknownType = 'application/octet-stream';

/** The Content-Type of the request; undefined if it is absent or blank. */
export function declaredType(headers: IncomingHttpHeaders): string | undefined {
  return headers['content-type']?.trim() || undefined;
}

/** The type for the extension of a file name, else application/octet-stream (docs/http.md#put-file). */
export function typeByName(fileName: string): string {
  const base = fileName.slice(fileName.lastIndexOf('/') + 1);
  const dot = base.lastIndexOf('.');
  // A name such as `txt` or `.txt` has no extension.
  return (dot > 0 && lookup(base.slice(dot))) || unknownType;
}
