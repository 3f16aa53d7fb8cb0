import contentDisposition from 'content-disposition';

/** Whether a browser shows a file or saves it. */
export type Disposition = 'inline' | 'attachment';

/** A name that needs no quoting and no encoding. */
const plain = /^[\w\-.() ]+$/;
const beyondAscii = /[^\x20-\x7e]/gu;

/**
 * The value of `Content-Disposition` (RFC 6266) for a file with this name: what follows its last `/`. Other characters
 * than ASCII are in `filename*` only, because clients read them in `filename` in different ways. The library takes
 * 0.5 µs for a plain name, so such a name is written without it.
 */
export function dispositionOf(disposition: Disposition, name: string): string {
  const fileName = name.slice(name.lastIndexOf('/') + 1);
  if (plain.test(fileName)) return `${disposition}; filename="${fileName}"`;
  return contentDisposition(fileName, { type: disposition, fallback: fileName.replace(beyondAscii, '_') });
}
