import type { IncomingHttpHeaders } from 'node:http';
import { lookup } from 'mime-types';

const unknownType = 'application/octet-stream';

/** The Content-Type of the request, undefined when it is absent or blank. */
export function declaredType(headers: IncomingHttpHeaders): string | undefined {
  return headers['content-type']?.trim() || undefined;
}

/** The type that the extension of a file name stands for, else application/octet-stream: docs/http.md#put-file. */
export function typeByName(fileName: string): string {
  const base = fileName.slice(fileName.lastIndexOf('/') + 1);
  const dot = base.lastIndexOf('.');
  // A name such as `txt` or `.txt` has no extension.
  return (dot > 0 && lookup(base.slice(dot))) || unknownType;
}
