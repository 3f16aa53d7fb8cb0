import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../lib/clock.js';
import { S3Error } from '../errors.js';
import { type Authorization, algorithm } from './authorization.js';
import { canonicalRequest, type SignedParts } from './canonical-request.js';
import type { PolicyAuthorization } from './policy-authorization.js';
import { createSigningKeys, type SigningKey, sha256Of } from './signing-key.js';

/** How far the clock of a client may be off. */
const maxSkewMs = 15 * 60 * 1000;
/** Fields that say nothing which the signature of a presigned URL must cover. */
const unsignedFields: ReadonlySet<string> = new Set(['x-amz-content-sha256']);

export interface SignatureCheckOptions<Signer> {
  /** Who has this access key id, with the secret; undefined if nobody has. */
  readonly find: (accessKeyId: string) => { readonly signer: Signer; readonly secret: string } | undefined;
  readonly clock: Clock;
}

/** A request whose signature is right. */
export interface Signed<Signer> {
  readonly signer: Signer;
  readonly authorization: Authorization;
  /** Signs the chunks of the body. */
  readonly key: SigningKey;
}

/** A request that may be signed, with the names of all its fields that begin with `x-amz-`. */
export interface UncheckedParts extends SignedParts {
  readonly amzFields: readonly string[];
}

export function createSignatureCheck<Signer>({ find, clock }: SignatureCheckOptions<Signer>) {
  const signingKey = createSigningKeys();

  function signerOf(accessKeyId: string): { readonly signer: Signer; readonly secret: string } {
    const found = find(accessKeyId);
    if (found !== undefined) return found;
    throw new S3Error('InvalidAccessKeyId', undefined, { AWSAccessKeyId: accessKeyId });
  }

  return {
    /**
     * Checks the policy of a form, which is signed as a whole: by SigV4, or in the older way, by the secret itself.
     * Throws an `S3Error`. It compares in constant time.
     */
    policy(policy: string, { accessKeyId, scope, signature }: PolicyAuthorization): Signer {
      const { signer, secret } = signerOf(accessKeyId);
      const expected =
        scope === undefined
          ? createHmac('sha1', secret).update(policy).digest('base64')
          : signingKey(secret, scope).sign(policy);
      if (!isSame(expected, signature)) {
        throw new S3Error('SignatureDoesNotMatch', undefined, {
          AWSAccessKeyId: accessKeyId,
          StringToSign: policy,
          SignatureProvided: signature,
        });
      }
      return signer;
    },

    /**
     * Checks the signature of a request, and its time. `payload`: what the request says of its body. Throws an
     * `S3Error`. It compares in constant time.
     */
    request(authorization: Authorization, parts: UncheckedParts, payload: string): Signed<Signer> {
      requireTime(authorization, clock());
      const { signer, secret } = signerOf(authorization.accessKeyId);
      const key = signingKey(secret, authorization.scope);
      const canonical = canonicalRequest(parts, authorization.signedHeaders, payload);
      const text = [algorithm, authorization.timestamp, authorization.scope.text, sha256Of(canonical)].join(
        '\n',
      );
      if (!isSame(key.sign(text), authorization.signature)) {
        throw new S3Error('SignatureDoesNotMatch', undefined, {
          AWSAccessKeyId: authorization.accessKeyId,
          StringToSign: text,
          SignatureProvided: authorization.signature,
          CanonicalRequest: canonical,
        });
      }
      const unsigned = ['host', ...parts.amzFields].filter(
        (name) => !authorization.signedHeaders.includes(name) && !unsignedFields.has(name),
      );
      if (unsigned.length > 0) {
        throw new S3Error('AccessDenied', 'There were headers present in the request which were not signed', {
          HeadersNotSigned: unsigned.join(', '),
        });
      }
      return { signer, authorization, key };
    },
  };
}

function requireTime({ signedMs, expiresSeconds }: Authorization, nowMs: number): void {
  if (expiresSeconds === undefined) {
    if (Math.abs(nowMs - signedMs) <= maxSkewMs) return;
    throw new S3Error('RequestTimeTooSkewed', undefined, {
      RequestTime: new Date(signedMs).toISOString(),
      ServerTime: new Date(nowMs).toISOString(),
      MaxAllowedSkewMilliseconds: String(maxSkewMs),
    });
  }
  if (signedMs > nowMs + maxSkewMs) throw new S3Error('AccessDenied', 'Request is not yet valid');
  const endMs = signedMs + expiresSeconds * 1000;
  if (nowMs <= endMs) return;
  throw new S3Error('AccessDenied', 'Request has expired', {
    Expires: new Date(endMs).toISOString(),
    ServerTime: new Date(nowMs).toISOString(),
  });
}

/** Compares two signatures in a time that does not depend on where they differ. */
export function isSame(a: string, b: string): boolean {
  const [x, y] = [Buffer.from(a, 'latin1'), Buffer.from(b, 'latin1')];
  return x.length === y.length && timingSafeEqual(x, y);
}
