import { badField, payloadTooLarge, type RequestError } from '../../../request-error.js';
import type { Call } from '../call.js';

const jsonType = /^\s*application\/json\s*(;|$)/i;

/** Throws a 415 if the body is not declared as JSON (docs/http.md#bodies). Without a body, any type is allowed. */
export function requireJsonType(call: Call): void {
  if (jsonType.test(call.headers['content-type'] ?? '') || !hasBody(call)) return;
  throw badField('Content-Type', 'unsupported_type', 'must be application/json');
}

/** The bytes of a JSON body of the database API: 415 for another type, 413 as JSON for too many bytes. */
export function readJsonBody(call: Call, maxBytes: number): Buffer | Promise<Buffer> {
  requireJsonType(call);
  return call.body(maxBytes, () => jsonTooLarge(maxBytes));
}

function hasBody(call: Call): boolean {
  return (call.contentLength ?? 0) > 0 || call.headers['transfer-encoding'] !== undefined;
}

function jsonTooLarge(maxBytes: number): RequestError {
  return payloadTooLarge(`body: larger than ${maxBytes} bytes`);
}
