import { S3Error } from '../errors.js';

// How SigV4 writes the path and the query string of a request, whatever way its client wrote them.

const escaped = /[!'()*]/g;

/** Every byte but letters, digits and `-._~` as `%XX`. The text must have no lone surrogates. */
export function encode(text: string): string {
  return encodeURIComponent(text).replace(
    escaped,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

const plainPath = /^[\w\-.~/]*$/;

/** The same for a path, whose `/` stay as they are. */
export function encodePath(path: string): string {
  if (plainPath.test(path)) return path;
  return path.split('/').map(encode).join('/');
}

/** Decodes a path once. Throws `InvalidURI` if an escape is broken or its bytes are not UTF-8. */
export function decodePath(raw: string): string {
  try {
    return raw.includes('%') ? decodeURIComponent(raw) : raw;
  } catch {
    throw new S3Error('InvalidURI');
  }
}

/** The parameters of a query string in their order, decoded: `+` and `%20` are spaces. Throws `InvalidURI`. */
export function readQuery(raw: string): [name: string, value: string][] {
  if (raw === '') return [];
  return raw
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const at = pair.indexOf('=');
      const decoded = (text: string) => decodePath(text.replaceAll('+', ' '));
      return at === -1 ? [decoded(pair), ''] : [decoded(pair.slice(0, at)), decoded(pair.slice(at + 1))];
    });
}

/** The parameters as SigV4 orders and writes them. */
export function canonicalQuery(query: readonly (readonly [name: string, value: string])[]): string {
  if (query.length === 0) return '';
  return query
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(([a, x], [b, y]) => (a === b ? compare(x, y) : compare(a, b)))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
