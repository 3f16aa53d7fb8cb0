import type { S3Request } from '../request.js';
import { canonicalQuery, encodePath } from './encoding.js';

/** What of a request is signed. */
export type SignedParts = Pick<S3Request, 'method' | 'path' | 'query' | 'valuesOf'>;

/**
 * The request as SigV4 signs it. Its text has one character a byte, as heads arrive. `payload`: what
 * `x-amz-content-sha256` says of the body.
 */
export function canonicalRequest(
  { method, path, query, valuesOf }: SignedParts,
  signedHeaders: readonly string[],
  payload: string,
): string {
  let fields = '';
  for (const name of signedHeaders) {
    const values = valuesOf(name);
    const value = values.length === 1 ? trimmed(values[0] as string) : values.map(trimmed).join(',');
    fields += `${name}:${value}\n`;
  }
  return `${method}\n${encodePath(path)}\n${canonicalQuery(query)}\n${fields}\n${signedHeaders.join(';')}\n${payload}`;
}

function trimmed(value: string): string {
  if (!value.includes(' ') && !value.includes('\t')) return value;
  return value.trim().replace(/[ \t]+/g, ' ');
}
