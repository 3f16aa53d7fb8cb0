import { canonicalQuery, encodePath } from './encoding.js';

/** What of a request is signed. */
export interface SignedParts {
  readonly method: string;
  /** The path, decoded once. */
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  /** The values of each field with this name in lower case, one character a byte. */
  valuesOf(name: string): readonly string[];
}

/**
 * The request as SigV4 signs it. Its text has one character a byte, as heads arrive. `payload`: what
 * `x-amz-content-sha256` says of the body.
 */
export function canonicalRequest(
  { method, path, query, valuesOf }: SignedParts,
  signedHeaders: readonly string[],
  payload: string,
): string {
  const fields = signedHeaders.map((name) => `${name}:${valuesOf(name).map(trimmed).join(',')}\n`);
  return [
    method,
    encodePath(path),
    canonicalQuery(query),
    fields.join(''),
    signedHeaders.join(';'),
    payload,
  ].join('\n');
}

function trimmed(value: string): string {
  return value.trim().replace(/[ \t]+/g, ' ');
}
