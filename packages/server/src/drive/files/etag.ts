import type { FileRow } from '../rows.js';

/** Gives the ETag of a file, with its quotes (docs/http.md#conditions). */
export function etagOf({ id, revision }: Pick<FileRow, 'id' | 'revision'>): string {
  return revision === undefined ? `"${id}"` : `"${id}-${revision}"`;
}
