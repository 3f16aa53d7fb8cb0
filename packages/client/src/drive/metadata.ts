import { invalid } from '../http/error.js';

/**
 * What a program notes of a file, as headers (docs/http.md#file-metadata). Their bytes are UTF-8. `fetch` takes and
 * gives each byte as one character.
 */

/** What a program notes of a file: names of `a-z`, `0-9`, `.`, `_`, `-`, and any text; 2 KiB together. */
export type FileMetadata = Readonly<Record<string, string>>;

const prefix = 'x-meta-';

/**
 * The headers of a request that stores a file with this metadata. Throws code `invalid` for a value with spaces around it,
 * which the service refuses: in a header it would lose them.
 */
export function metadataHeaders(metadata?: FileMetadata): Readonly<Record<string, string>> {
  const headers = Object.entries({ ...metadata }).map(([name, value]) => {
    if (/^ | $/.test(value)) throw invalid(`metadata.${name}: must not begin or end with a space`);
    const bytes = new TextEncoder().encode(value);
    return [prefix + name, Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')];
  });
  return Object.fromEntries(headers);
}

/** The metadata in the headers of a download; empty if there is none. */
export function readMetadata(headers: Headers): FileMetadata {
  const found: [string, string][] = [];
  for (const [name, value] of headers) {
    if (!name.startsWith(prefix)) continue;
    const bytes = Uint8Array.from(value, (character) => character.charCodeAt(0));
    found.push([name.slice(prefix.length), new TextDecoder().decode(bytes)]);
  }
  return Object.fromEntries(found);
}
