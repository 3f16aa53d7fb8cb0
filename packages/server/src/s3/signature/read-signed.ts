import type { Exchange } from '../../http/requests/exchange.js';
import { type Payload, readPayload, unsignedPayload } from '../bodies/payload.js';
import { S3Error } from '../errors.js';
import type { S3Request } from '../request.js';
import type { ClaimedParts } from './check-signature.js';
import { type Claim, readHeaderClaim, readQueryClaim } from './claim.js';

/** Who says to have signed a request, and what is signed of it. Nothing is checked yet. */
export interface ReadSignature {
  readonly claim: Claim;
  readonly parts: ClaimedParts;
  readonly payload: Payload;
}

/** Reads the signature of a request from its head, or from its query string. Throws an `S3Error`. */
export function readSigned({ headers }: Pick<Exchange, 'headers'>, request: S3Request): ReadSignature {
  const { method, path, query, valuesOf, amzFields } = request;
  const { authorization } = headers;
  const hash = request.field('x-amz-content-sha256');
  if (!request.isPresigned) {
    if (!authorization) throw new S3Error('AccessDenied');
    const parts = { method, path, query, valuesOf, amzFields };
    return { claim: readHeaderClaim(authorization, parts), parts, payload: readPayload(hash) };
  }
  if (authorization) throw new S3Error('InvalidArgument', 'Only one auth mechanism allowed');
  const claim = readQueryClaim(request.query);
  const unsigned = query.filter(([name]) => name !== 'X-Amz-Signature');
  const payload = hash === undefined ? unsignedPayload : readPayload(hash);
  return { claim, parts: { method, path, query: unsigned, valuesOf, amzFields }, payload };
}
