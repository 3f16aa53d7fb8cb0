import type { Exchange } from '../../http/requests/exchange.js';
import { readPayload, unsignedPayload } from '../bodies/payload.js';
import { S3Error } from '../errors.js';
import type { S3Request } from '../request.js';
import { readAuthorizationHeader, readPresignedQuery } from './authorization.js';

/**
 * Reads the signature of a request from its head, or from its query string: what it says of its signer, and which parts of
 * it are signed. Nothing is checked yet. Throws an `S3Error`.
 */
export function readSigned({ headers }: Pick<Exchange, 'headers'>, request: S3Request) {
  const { method, path, query, valuesOf, amzFields } = request;
  const { authorization: header } = headers;
  const hash = request.field('x-amz-content-sha256');
  if (!request.isPresigned) {
    if (!header) throw new S3Error('AccessDenied');
    const parts = { method, path, query, valuesOf, amzFields };
    return { authorization: readAuthorizationHeader(header, parts), parts, payload: readPayload(hash) };
  }
  if (header) throw new S3Error('InvalidArgument', 'Only one auth mechanism allowed');
  const authorization = readPresignedQuery(request.query);
  const unsigned = query.filter(([name]) => name !== 'X-Amz-Signature');
  const payload = hash === undefined ? unsignedPayload : readPayload(hash);
  return { authorization, parts: { method, path, query: unsigned, valuesOf, amzFields }, payload };
}
