import { S3Error } from '../errors.js';

/** A continuation token: the name that a page ended with, in a form that no client takes for a name. */
export function encodeToken(name: string): string {
  return Buffer.from(`1${name}`).toString('base64url');
}

/** The name in a token; empty without one. Throws `InvalidArgument`. */
export function decodeToken(token: string | undefined): string {
  if (token === undefined) return '';
  const text = Buffer.from(token, 'base64url').toString();
  if (text.startsWith('1') && encodeToken(text.slice(1)) === token) return text.slice(1);
  throw new S3Error('InvalidArgument', 'The continuation token provided is incorrect');
}
