import type { IncomingHttpHeaders } from 'node:http';
import { lookup } from 'mime-types';

const unknownType = 'application/octet-stream';

/** The Content-Type header as it came; undefined when it is absent or blank. */
export function declaredType(headers: IncomingHttpHeaders): string | undefined {
  return headers['content-type']?.trim() || undefined;
}

/** "when absent it is derived from the file name, falling back to application/octet-stream" */
export function typeByName(fileName: string): string {
  const base = fileName.slice(fileName.lastIndexOf('/') + 1);
  const dot = base.lastIndexOf('.');
  // A name such as `txt` or `.txt` has no extension.
  return (dot > 0 && lookup(base.slice(dot))) || unknownType;
}
