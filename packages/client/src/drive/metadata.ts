import { invalid } from '../http/error.js';

/**
 * What a program notes of a file, as headers (docs/http.md#file-metadata). Their bytes are UTF-8. `fetch` takes and
 * gives each byte as one character.
 */

/** What a program notes of a file: names of `a-z`, `0-9`, `.`, `_`, `-`, and any text; 2 KiB together. */
export type FileMetadata = Readonly<Record<string, string>>;

const prefix = 'x-meta-';

/**
 * The headers of a request that stores a file with this metadata. Throws code `invalid` for what breaks the rules of the
 * service: a header would lose its spaces on the way, or say nothing of metadata.
 */
export function metadataHeaders(metadata?: FileMetadata): Readonly<Record<string, string>> {
  const given = Object.entries({ ...metadata }).filter(([, value]) => value !== undefined);
  const headers = given.map(([name, value]) => {
    const refuse = (rule: string) => invalid(`metadata.${name}: ${rule}`);
    if (!/^[a-z0-9][\w.-]*$/i.test(name))
      throw refuse('its name must be a-z, 0-9, ".", "_" and "-", and begin with a letter or a digit');
    if (typeof value !== 'string' || /^ | $|\p{Cc}/u.test(value))
      throw refuse('must be a text without control characters, and not begin or end with a space');
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
