import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Grant } from '../access/grant.js';
import { ranks } from '../access/rights.js';
import { isWithin } from '../access/scope.js';

/** What a link allows: one file to be read or stored, until it expires (docs/http.md#links). */
export interface Link {
  readonly method: 'GET' | 'POST';
  readonly project: string;
  readonly drive: string;
  readonly name: string;
  /** Whole seconds since 1970 UTC: from then on the link is not valid. */
  readonly expiresAtSeconds: number;
  /** Of a download: whether a browser saves the file. */
  readonly disposition?: 'inline' | 'attachment' | undefined;
  /** Of an upload: the maximum size of the file. */
  readonly maxBytes?: number | undefined;
  /** Of an upload: the type of the file in lower case, `image/png`, or `image/*`; undefined for any. */
  readonly contentType?: string | undefined;
  /** Of an upload: whether it may be in parts, too. */
  readonly parts?: boolean | undefined;
  /** Of an upload: whether it replaces a file. */
  readonly overwrite?: boolean | undefined;
  /** Of a link that its drive lists: it is not valid without its row (`listed-links.ts`). */
  readonly id?: string | undefined;
}

/** A link whose signature was verified, and the key that made it. `Allowed`: what it allows, as it was signed. */
export interface SignedLink<Allowed = Link> {
  readonly keyId: string;
  readonly link: Allowed;
}

/** Gives the secret with which a key signs its links; undefined without such a key. */
export type SecretOf = (keyId: string) => Buffer | undefined;

const token = /^([\w-]{1,64})\.([\w-]+)\.([\w-]{43})$/;
/** What is computed with when there is no such key or no such token, so that this takes as long. */
const nobody = { keyId: 'nobody', payload: 'e30', signature: 'A'.repeat(43), secret: randomBytes(32) };

/**
 * Signs a link: `{key id}.{payload}.{signature}`. The payload is the JSON of the link in base64url. The signature is the
 * HMAC-SHA-256 of all that comes before it, unchanged: no two links have the same text, and there is nothing to
 * read before the signature is verified.
 */
export function signLink(link: object, keyId: string, secret: Buffer): string {
  const payload = Buffer.from(JSON.stringify(link)).toString('base64url');
  return `${keyId}.${payload}.${signatureOf(keyId, payload, secret)}`;
}

/**
 * Gives the link of a token that was signed with the secret of a key, or undefined. Whatever is wrong with a token,
 * refusing it takes the same time.
 */
export function verifyLink<Allowed extends { readonly method: string } = Link>(
  text: string,
  secretOf: SecretOf,
): SignedLink<Allowed> | undefined {
  const [, keyId = nobody.keyId, payload = nobody.payload, given = nobody.signature] = token.exec(text) ?? [];
  const known = secretOf(keyId);
  // The secret of a key takes one HMAC as well.
  const secret = known ?? createHmac('sha256', nobody.secret).update(keyId).digest();
  const isSame = timingSafeEqual(Buffer.from(signatureOf(keyId, payload, secret)), Buffer.from(given));
  if (!isSame || known === undefined) return undefined;
  return { keyId, link: JSON.parse(Buffer.from(payload, 'base64url').toString()) as Allowed };
}

/** The id of the key that a token says has signed it; undefined for a text that is no token. */
export function keyIdOfToken(text: string): string | undefined {
  return token.exec(text)?.[1];
}

/** As text, because several texts in base64url can mean the same bytes. */
function signatureOf(keyId: string, payload: string, secret: Buffer): string {
  return createHmac('sha256', secret).update(`${keyId}.${payload}`).digest('base64url');
}

/** The last part of a link's path: the name with which programs save the file. */
export function fileNameOf(name: string): string {
  const last = name.slice(name.lastIndexOf('/') + 1);
  // Clients would remove these from a path.
  return last === '.' || last === '..' ? 'file' : last;
}

/** Whether a key may make this link: it dies with the key, and with the right that it was made by. */
export function mayMakeLink(grant: Grant | undefined, { project, drive, name }: Link): boolean {
  return (
    grant !== undefined &&
    grant.project === project &&
    grant.rank >= ranks.full &&
    grant.drives.has(drive) &&
    isWithin(grant, name)
  );
}
