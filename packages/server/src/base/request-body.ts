import { readJsonBody } from '../http/requests/bodies/json-body.js';
import { type RereadableBody, rereadableBody } from '../http/requests/bodies/rereadable-body.js';
import type { Call } from '../http/requests/call.js';
import { onceReady } from '../lib/concurrency/once-ready.js';
import type { Steps } from '../lib/concurrency/time-slices.js';
import { maxBodyBytes } from './limits.js';

/**
 * What `read` gives for the body of a request of the database API. Throws its 413 and 415 as a `RequestError`, or rejects
 * with it.
 */
export function bodyOf<Body>(call: Call, read: (body: Buffer) => Steps<Body>): Body | Promise<Body> {
  return onceReady(readJsonBody(call, maxBodyBytes), (body) => call.run(read(body)));
}

/** The same for work that waits for its turn: a large body is forgotten in the meantime, and parsed again. */
export async function rereadableBodyOf<Body>(
  call: Call,
  read: (body: Buffer) => Steps<Body>,
): Promise<RereadableBody<Body>> {
  const body = await readJsonBody(call, maxBodyBytes);
  return rereadableBody(call, () => read(body));
}
